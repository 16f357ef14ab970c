/* Memory of another process. The kernel decides who may read and write it (ptrace(2), "Ptrace
 * access mode checking"). The functions copy `size` bytes at `address`. The result is false with
 * errno if not all bytes can be copied: EPERM, EFAULT, ESRCH. */
#ifndef PINSIGHT_ATTACH_MEMORY_H
#define PINSIGHT_ATTACH_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool pinsight_memory_read(int pid, uint64_t address, void *bytes, size_t size);
bool pinsight_memory_write(int pid, uint64_t address, const void *bytes, size_t size);

/* A mapping of a file. */
struct pinsight_memory_mapping {
    uint64_t begin, end;
    uint64_t offset; /* of the begin, in the file */
    bool is_writable, is_executable;
    const char *path; /* valid during the call of `visit` */
};

/* Calls `visit` for each mapping of a file, until it returns false. Returns false with errno if the
 * list of mappings cannot be read. */
bool pinsight_memory_each(int pid,
                          bool (*visit)(const struct pinsight_memory_mapping *mapping, void *data),
                          void *data);

#endif

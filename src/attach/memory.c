/* Memory of another process; see memory.h. */
#include "attach/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

static bool all(ssize_t done, size_t size) {
    if (done == (ssize_t)size)
        return true;
    if (done >= 0)
        errno = EFAULT;
    return false;
}

bool pinsight_memory_read(int pid, uint64_t address, void *bytes, size_t size) {
    struct iovec here = {bytes, size}, there = {(void *)(uintptr_t)address, size};

    return all(process_vm_readv(pid, &here, 1, &there, 1, 0), size);
}

bool pinsight_memory_write(int pid, uint64_t address, const void *bytes, size_t size) {
    struct iovec here = {(void *)(uintptr_t)bytes, size},
                 there = {(void *)(uintptr_t)address, size};

    return all(process_vm_writev(pid, &here, 1, &there, 1, 0), size);
}

bool pinsight_memory_each(int pid,
                          bool (*visit)(const struct pinsight_memory_mapping *mapping, void *data),
                          void *data) {
    char name[64], *line = NULL;
    size_t room = 0;
    bool more = true;

    snprintf(name, sizeof(name), "/proc/%d/maps", pid);
    FILE *file = fopen(name, "re");
    if (file == NULL)
        return false;
    errno = 0;
    while (more && getline(&line, &room, file) > 0) {
        struct pinsight_memory_mapping mapping = {0};
        char rights[8] = "";
        int at = 0;

        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %n", &mapping.begin,
                   &mapping.end, rights, &mapping.offset, &at) < 4 ||
            line[at] != '/')
            continue;
        mapping.is_writable = rights[1] == 'w';
        mapping.is_executable = rights[2] == 'x';
        mapping.path = line + at;
        more = visit(&mapping, data);
    }
    int error = ferror(file) ? errno : 0;
    free(line);
    fclose(file);
    errno = error;
    return error == 0;
}

/*
 * What tells processes apart besides their numbers: each PID namespace (a container, say) counts
 * its own, and machines may share a folder and a host name.
 */
#ifndef PINSIGHT_BASE_MACHINE_H
#define PINSIGHT_BASE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A number of this machine since it was started, from the kernel's boot_id; 0 where that cannot be
 * read. Any thread; reads a file when called first. */
uint64_t pinsight_machine_boot(void);

/* Whether two such numbers are known, and are not of one machine since it was started. */
static inline bool pinsight_machines_differ(uint64_t a, uint64_t b) {
    return a && b && a != b;
}

/* The PID namespace of this process: its inode, 0 where it cannot be seen. Any thread. */
uint64_t pinsight_machine_namespace(void);

/* Whether that is the machine's own, as far as is known. */
bool pinsight_machine_is_own_namespace(uint64_t namespace);

/* The processors that the calling thread may run on, at least 1. Any thread. */
size_t pinsight_machine_processors(void);

#endif

/*
 * Facts that distinguish processes with equal numbers: the machine, its boot, and the PID
 * namespace. Each PID namespace (a container, for example) numbers its own processes, and machines
 * can share a folder and a host name.
 */
#ifndef PINSIGHT_BASE_MACHINE_H
#define PINSIGHT_BASE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns a number that identifies this machine and its boot, from the kernel's boot_id; 0 if it
 * cannot be read. Any thread. The first call reads a file. */
uint64_t pinsight_machine_boot(void);

/* Returns whether both numbers are known and differ: the machines differ, or one was restarted. */
static inline bool pinsight_machines_differ(uint64_t a, uint64_t b) {
    return a && b && a != b;
}

/* Returns the inode of this process's PID namespace, or 0 if it is hidden. Any thread. */
uint64_t pinsight_machine_namespace(void);

/* Returns whether the namespace is the machine's own, as far as is known. */
bool pinsight_machine_is_own_namespace(uint64_t namespace);

/* Returns the number of processors that the calling thread may run on, at least 1. Any thread. */
size_t pinsight_machine_processors(void);

/* Returns the number of the machine's processors that are online, or 0 if it is unknown. Any
 * thread. */
size_t pinsight_machine_online(void);

#endif

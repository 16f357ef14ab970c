/* Other processes, as /proc shows them. */
#ifndef PINSIGHT_BASE_PROCESS_H
#define PINSIGHT_BASE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A process: its number and its start time, because numbers are reused. pid 0 means no process. */
struct pinsight_proc {
    pid_t pid;
    uint64_t start; /* clock ticks after boot, field 22 of /proc/PID/stat (proc(5)) */
};

/* Fills *process for `pid`. Returns false if the process does not exist or is a zombie. */
bool pinsight_process_find(pid_t pid, struct pinsight_proc *process);

/* Returns whether that very process still exists and is not a zombie. Returns false for pid 0. */
bool pinsight_process_alive(const struct pinsight_proc *process);

/* Returns the parent of `pid`, or 0 if it is unknown. */
pid_t pinsight_process_parent(pid_t pid);

/* Returns the state letter of `pid` (proc(5): R, S, D, T, Z, …), or 0 if there is no such process.
 */
char pinsight_process_state(pid_t pid);

/* Writes the name of `pid` (at most 15 characters) to `name`; false if it is gone. */
bool pinsight_process_name(pid_t pid, char *name, size_t room);

/*
 * Writes the children of `pid` whose name begins with `prefix` to `children`, at most `most`.
 * Returns their number. Scans all of /proc, which takes some milliseconds on a large machine.
 */
size_t pinsight_process_children(pid_t pid, const char *prefix, struct pinsight_proc *children,
                                 size_t most);

/*
 * Returns a descriptor that becomes readable when the process ends (pidfd_open(2), Linux 5.3), or
 * -1 if the kernel does not have it. The caller must then poll pinsight_process_alive.
 */
int pinsight_process_watch(const struct pinsight_proc *process);

#endif

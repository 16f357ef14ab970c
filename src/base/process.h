/* Other processes, as /proc shows them. */
#ifndef PINSIGHT_BASE_PROCESS_H
#define PINSIGHT_BASE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A process: its number and when it started, since numbers are used again. pid 0 is none. */
struct pinsight_proc {
    pid_t pid;
    uint64_t start; /* clock ticks after boot, field 22 of /proc/PID/stat (proc(5)) */
};

/* Fills *process for `pid`; false if there is no such process, or it is a zombie. */
bool pinsight_process_find(pid_t pid, struct pinsight_proc *process);

/* Is exactly that process still there, and not a zombie? False for pid 0. */
bool pinsight_process_alive(const struct pinsight_proc *process);

/* The parent of `pid`, 0 where it is not known. */
pid_t pinsight_process_parent(pid_t pid);

/* State letter of `pid` (proc(5): R, S, D, T, Z, …), 0 where there is none. */
char pinsight_process_state(pid_t pid);

/* Writes the name of `pid` (at most 15 characters) to `name`; false if it is gone. */
bool pinsight_process_name(pid_t pid, char *name, size_t room);

/*
 * The children of `pid` whose name begins with `prefix`, at most `most`, written to `children`.
 * Returns how many. Looks through all of /proc: some milliseconds on a large machine.
 */
size_t pinsight_process_children(pid_t pid, const char *prefix, struct pinsight_proc *children,
                                 size_t most);

/*
 * A descriptor that becomes readable when the process ends (pidfd_open(2), Linux 5.3), or -1 where
 * the kernel has none; then pinsight_process_alive has to be asked from time to time.
 */
int pinsight_process_watch(const struct pinsight_proc *process);

#endif

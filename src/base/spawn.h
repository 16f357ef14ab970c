/* Child processes of a process with one thread: workers, which run a function of ours, and
 * commands. */
#ifndef PINSIGHT_BASE_SPAWN_H
#define PINSIGHT_BASE_SPAWN_H

#include <stddef.h>
#include <sys/types.h>

/* fork(2). Unless `with_parent` is 0, the child gets that signal when this process dies
 * (PR_SET_PDEATHSIG), and ends at once where it has died already. */
pid_t pinsight_fork(int with_parent);

/* Waits until a child has ended. Returns its status (waitpid(2)), -1 where it is no child. */
int pinsight_reap(pid_t pid);

/* SIGTERM, then after `patience_ms` SIGKILL; waits until the child is reaped. */
void pinsight_reap_within(pid_t pid, int patience_ms);

/* All signals to their default actions, and none blocked: for a child that executes a command. */
void pinsight_signals_default(void);

/*
 * Executes `words` in a child by execute(), which is execve(2) or execvpe(3). prepare(data) runs in
 * the child before that. `with_parent` is pinsight_fork's. Returns the child's number once it runs
 * the command; 0 with an errno in *error where that failed, and the child is reaped.
 */
typedef int pinsight_execute(const char *file, char *const *words, char *const *variables);
pid_t pinsight_spawn(pinsight_execute *execute, char *const *words, char *const *variables,
                     int with_parent, void (*prepare)(void *data), void *data, int *error);

/* Closes all descriptors from 3 on but `kept`: others may wait for the ends of what a child has
 * inherited. */
void pinsight_close_others(const int *kept, size_t count);

/* A process that runs a function of ours, and a socket to it (AF_UNIX, SOCK_SEQPACKET). */
struct pinsight_worker {
    pid_t pid; /* 0: none */
    int fd;    /* -1: none */
};

/* Starts work(fd, data) in a child, where fd is the socket's other end and data as it is now. The
 * child ends with status 0 when that returns. Returns 0 or an errno. */
int pinsight_worker_start(struct pinsight_worker *worker, int with_parent,
                          void (*work)(int fd, void *data), void *data);

/* Kills the worker, if there is one, and reaps it. */
void pinsight_worker_kill(struct pinsight_worker *worker);

#endif

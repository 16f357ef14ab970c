/* Child processes of a process with one thread: commands, and workers, which run a function of
 * PInsight. */
#ifndef PINSIGHT_BASE_SPAWN_H
#define PINSIGHT_BASE_SPAWN_H

#include <stddef.h>
#include <sys/types.h>

/* Calls fork(2). Unless `with_parent` is 0, the child gets that signal when this process dies
 * (PR_SET_PDEATHSIG), and ends at once if this process has died already. */
pid_t pinsight_fork(int with_parent);

/* Waits until a child has ended. Returns its status (waitpid(2)), or -1 if it is not a child. */
int pinsight_reap(pid_t pid);

/* Sends SIGTERM to a child, and SIGKILL after `patience_ms`. Returns when the child is reaped. */
void pinsight_reap_within(pid_t pid, int patience_ms);

/* Resets all signals to their default actions and unblocks them, for a child that executes a
 * command.
 */
void pinsight_signals_default(void);

/*
 * Runs a command in a child. `execute` is execve(2) or execvpe(3). prepare(data) runs in the child
 * first. `with_parent` as for pinsight_fork(). Returns the child's number once it runs the command.
 * If that fails, reaps the child, sets *error to an errno and returns 0.
 */
typedef int pinsight_execute(const char *file, char *const *words, char *const *variables);
pid_t pinsight_spawn(pinsight_execute *execute, char *const *words, char *const *variables,
                     int with_parent, void (*prepare)(void *data), void *data, int *error);

/* Closes all descriptors from 3 on except `kept`. Otherwise a pipe that a child has inherited would
 * stay open, and the process that waits for its end would wait for the child. */
void pinsight_close_others(const int *kept, size_t count);

/* A child process that runs a function, and a socket to it (AF_UNIX, SOCK_SEQPACKET). */
struct pinsight_worker {
    pid_t pid; /* 0: none */
    int fd;    /* -1: none */
};

/* Starts work(fd, data) in a child. fd is the other end of the socket; data is a copy of the
 * present state. The child ends with status 0 when the function returns. Returns 0 or an errno. */
int pinsight_worker_start(struct pinsight_worker *worker, int with_parent,
                          void (*work)(int fd, void *data), void *data);

/* Kills the worker, if there is one, and reaps it. */
void pinsight_worker_kill(struct pinsight_worker *worker);

#endif

/* Starts a command as its caller would, and ends this process like the command. */
#ifndef PINSIGHT_SESSION_LAUNCH_H
#define PINSIGHT_SESSION_LAUNCH_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* Signals of this process, blocked while the command runs. */
struct pinsight_signals {
    sigset_t old_mask; /* the command's signal mask */
    struct sigaction old_pipe;
    int fd; /* signalfd: signals for the command, and SIGCHLD */
};

/* Blocks every signal that can be passed on and opens the descriptor. Returns 0 or an errno. */
int pinsight_launch_signals_take(struct pinsight_signals *signals);

/*
 * Takes the pending signals. Returns the number of one that would have ended this process (SIGINT,
 * SIGTERM, SIGHUP, SIGQUIT), or 0. The number is the wait status of a process that it ended.
 * Signals that were ignored when this process started do not count.
 */
int pinsight_signals_deadly(const struct pinsight_signals *signals);

/*
 * Starts words[0] (searched like by execvp(3)) with the given variables, and with the signal mask
 * and dispositions that this process was started with. Returns the process's number. If the command
 * cannot be executed, returns 0 and sets *error to the errno of execve(2).
 */
pid_t pinsight_launch(char *const *words, char *const *variables,
                      const struct pinsight_signals *signals, int *error);

/*
 * Ends this process like a command with that wait status (waitpid(2)): with its exit status, or by
 * its signal. Makes no core dump.
 */
void pinsight_end_like(int status) __attribute__((noreturn));

#endif

/* Starting a command as its caller would have, and ending the way it ended. */
#ifndef PINSIGHT_SESSION_LAUNCH_H
#define PINSIGHT_SESSION_LAUNCH_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* Signals of this process, taken over for the time of the command. */
struct pinsight_signals {
    sigset_t old_mask; /* what the command gets */
    struct sigaction old_pipe;
    int fd; /* signalfd: everything that is for the command, and SIGCHLD */
};

/* Blocks every signal that can be passed on and opens the descriptor. Returns 0 or an errno. */
int pinsight_launch_signals_take(struct pinsight_signals *signals);

/*
 * Takes the signals that have come. Returns the number of one that would have ended this process
 * (SIGINT, SIGTERM, SIGHUP, SIGQUIT), 0 if there was none: the wait status of a process that it
 * ended. Signals that were ignored when this process started do not count.
 */
int pinsight_signals_deadly(const struct pinsight_signals *signals);

/*
 * Starts words[0] (searched as execvp(3) does) with these variables and the signal mask and
 * dispositions that this process was started with. Returns its pid; 0 with *error = errno if it
 * cannot be executed, as execve(2) reports it.
 */
pid_t pinsight_launch(char *const *words, char *const *variables,
                      const struct pinsight_signals *signals, int *error);

/*
 * Ends this process as a command with that wait status (waitpid(2)) ended: with its exit status, or
 * by its signal, without a core dump of our own.
 */
void pinsight_end_like(int status) __attribute__((noreturn));

#endif

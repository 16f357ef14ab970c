/*
 * A helper: a program of PInsight that works beside the traced process and is not its child. The
 * traced program never notices it: no wait() reports it, and no SIGCHLD is sent for it. The process
 * and the helper exchange packets over a pair of sockets.
 *
 * Only the control thread uses helpers, except for pinsight_helper_forget().
 */
#ifndef PINSIGHT_CORE_HELPER_H
#define PINSIGHT_CORE_HELPER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct pinsight_helper {
    /* -1: none. The program may close it or reuse its number, so it is checked with `device` and
     * `inode`: */
    int fd;
    dev_t device;
    ino_t inode;  /* identity of the socket */
    pid_t reaper; /* the helper's parent, which ends with it; 0 for none */
    void *stack;  /* the reaper's stack */
};

#define PINSIGHT_HELPER_NONE                                                                       \
    { .fd = -1 }

/*
 * Starts `words[0]`, an absolute path, with the environment `variables`. The helper gets its end of
 * the pair as descriptor 3, and the program's stderr as 1 and 2 (/dev/null if it has none). It has
 * no other descriptor, no ignored or blocked signal, and the caller's folder. Returns 0, or the
 * errno of the first failure, also of execve(2).
 */
int pinsight_helper_start(struct pinsight_helper *helper, char *const *words,
                          char *const *variables);

/* Sends a packet. Returns false if the helper or the descriptor is gone. */
bool pinsight_helper_send(struct pinsight_helper *helper, const void *packet, size_t size);

/*
 * Waits at most `patience_ms` for a packet. Returns its size, 0 if there was none, or -1 if the
 * helper or the descriptor is gone. `room` is at least the size of any packet.
 */
ssize_t pinsight_helper_receive(struct pinsight_helper *helper, void *packet, size_t room,
                                int patience_ms);

/* Closes the pair, so that the helper ends. */
void pinsight_helper_end(struct pinsight_helper *helper);

/* Forgets the helper in a forked child, because it is the parent's. */
void pinsight_helper_forget(struct pinsight_helper *helper);

#endif

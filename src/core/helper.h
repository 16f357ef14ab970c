/*
 * A helper: a program of ours that works beside the traced process and is not its child. The
 * program never sees it: no wait() of any kind reports it, and no SIGCHLD is sent for it. They talk
 * over a pair of sockets, in packets.
 *
 * One thread at a time uses a helper, the control thread; but for pinsight_helper_forget.
 */
#ifndef PINSIGHT_CORE_HELPER_H
#define PINSIGHT_CORE_HELPER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct pinsight_helper {
    int fd; /* -1: none. The program may close it, or put another file in its place: */
    dev_t device;
    ino_t inode;  /* what it has to be to be ours */
    pid_t reaper; /* a process that has the helper as its child and ends with it; 0 for none */
    void *stack;  /* its */
};

#define PINSIGHT_HELPER_NONE                                                                       \
    { .fd = -1 }

/*
 * Starts `words[0]`, an absolute path, with the environment `variables`. It gets its end of the
 * pair as descriptor 3, the program's stderr as 1 and 2 (nothing if it has none), no other
 * descriptor, no signal ignored or blocked, and the caller's folder. Returns 0, or the errno of
 * what failed, execve(2) among others.
 */
int pinsight_helper_start(struct pinsight_helper *helper, char *const *words,
                          char *const *variables);

/* Sends a packet. False if the helper, or the descriptor, is gone. */
bool pinsight_helper_send(struct pinsight_helper *helper, const void *packet, size_t size);

/*
 * Waits at most `patience_ms` for a packet. Returns its size, 0 if there was none, -1 if the
 * helper, or the descriptor, is gone. `room` is at least the size of any packet.
 */
ssize_t pinsight_helper_receive(struct pinsight_helper *helper, void *packet, size_t room,
                                int patience_ms);

/* Closes the pair, upon which the helper ends. */
void pinsight_helper_end(struct pinsight_helper *helper);

/* In a forked child: the helper is the parent's. */
void pinsight_helper_forget(struct pinsight_helper *helper);

#endif

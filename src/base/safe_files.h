/*
 * Safe access to files and folders in places that other users may reach. The functions open only a
 * regular file or a folder, without waiting, and follow links only where stated. A folder is "own"
 * if it belongs to this user and no other user may write to it.
 *
 * Any thread may call these functions, also a thread that works beside the program
 * (tracer/record/file/file_worker.h).
 */
#ifndef PINSIGHT_BASE_SAFE_FILES_H
#define PINSIGHT_BASE_SAFE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { PINSIGHT_LOCK_MS = 1000 };

/*
 * Opens an existing regular file, relative to the descriptor of a folder (or AT_FDCWD). `flags` is
 * O_RDONLY, O_WRONLY or O_RDWR, plus O_NOFOLLOW if the last part of the path may be no link. Does
 * not wait for the other end of a pipe or for a device. Returns a descriptor, or -1 with errno:
 * ENXIO if the path is not a regular file, EISDIR if it is a folder.
 */
int pinsight_open_regular(int folder, const char *path, int flags);

/* Opens an existing regular file as a stream for reading. Follows links. Returns NULL with errno on
 * an error. */
FILE *pinsight_open_to_read(const char *path);

/* Open a regular file of a trace for reading. Another user may have made the trace. Therefore a
 * link is followed only if it belongs to this user or root; otherwise errno is ELOOP. */
int pinsight_open_safely(const char *path);
FILE *pinsight_fopen_safely(const char *path);

/*
 * Opens a file for writing, and creates it if necessary, with `mode` less the umask. The owner can
 * always read and write it, whatever the umask is. Follows no link. `flags` as for
 * pinsight_open_regular(), also O_EXCL, O_APPEND and O_TRUNC. Returns a descriptor, or -1 with
 * errno as there.
 */
int pinsight_open_to_write(int folder, const char *path, int flags, unsigned mode);

/* Makes a folder with `mode` less the umask. The owner always has all rights. Returns 0 or an
 * errno. */
int pinsight_make_folder(int folder, const char *path, unsigned mode);

/* Opens a folder, for looking at it and for opening files in it. `flags` is 0 or O_NOFOLLOW.
 * Returns a descriptor, or -1 with errno. */
int pinsight_open_folder(int folder, const char *path, int flags);

enum pinsight_owned {
    PINSIGHT_OWN,
    PINSIGHT_OF_ANOTHER,   /* belongs to another user */
    PINSIGHT_FOR_OTHERS,   /* others may write to it */
    PINSIGHT_OWN_UNMARKED, /* own; the file system shows wrong users or modes */
};

/* Returns the ownership of a folder, by its owner and mode. Never returns PINSIGHT_OWN_UNMARKED. */
enum pinsight_owned pinsight_look_at_owner(int folder);

/* Returns the ownership of a folder that is to be written into. Some file systems (sshfs, shared
 * folders of virtual machines) show owners and modes of their own. On these, the function makes a
 * file in the folder, looks at it and removes it. */
enum pinsight_owned pinsight_try_owner(int folder);

/* Returns the fault of a folder that is not own, and a remedy, as a text for a message. */
const char *pinsight_not_own(enum pinsight_owned owned);

/* Locks a file or a folder for this descriptor. Waits at most `ms` milliseconds. Returns 0 or an
 * errno: EWOULDBLOCK if another descriptor holds the lock for longer. */
int pinsight_lock_within(int fd, unsigned ms);

#endif

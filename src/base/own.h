/*
 * Files and folders in places that other users may reach. What is opened here is what it is taken
 * for: a regular file or a folder, at once, at the end of no link. "Own" is what belongs to this
 * user and what nobody else may write to: what is in an own folder, nobody else put there.
 *
 * Any thread, also one that works with files beside the program (record/file/beside.h).
 */
#ifndef PINSIGHT_BASE_OWN_H
#define PINSIGHT_BASE_OWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { PINSIGHT_LOCK_MS = 1000 };

/*
 * Opens a regular file that is there, relative to the descriptor of a folder (or AT_FDCWD). `flags`
 * is O_RDONLY, O_WRONLY or O_RDWR, and O_NOFOLLOW where the last part may be no link. Waits neither
 * for the other end of a pipe nor for a device. Returns a descriptor, or -1 with errno set: ENXIO
 * where it is no regular file, EISDIR where it is a folder.
 */
int pinsight_open_regular(int folder, const char *path, int flags);

/* The same as a stream to read from, through links; NULL with errno set. */
FILE *pinsight_open_to_read(const char *path);

/* Opens a regular file of a trace, which anybody may have made, to read it: at the end of a link
 * only where this user or root made the link. Else errno is ELOOP. */
int pinsight_open_safely(const char *path);
FILE *pinsight_fopen_safely(const char *path);

/*
 * Opens a file to write into it, and makes it where it is not there, with that mode and the umask;
 * its owner may read and write it whatever the umask is. Follows no link. `flags` as above, also
 * O_EXCL, O_APPEND and O_TRUNC. Returns a descriptor, or -1 with errno set, as above.
 */
int pinsight_open_to_write(int folder, const char *path, int flags, unsigned mode);

/* Makes a folder with that mode and the umask; its owner has every right to it whatever the umask
 * is. Returns 0 or an errno. */
int pinsight_make_folder(int folder, const char *path, unsigned mode);

/* Opens a folder, to be looked at and as a place to open files in. `flags` is 0 or O_NOFOLLOW.
 * Returns a descriptor, or -1 with errno set. */
int pinsight_open_folder(int folder, const char *path, int flags);

enum pinsight_owned {
    PINSIGHT_OWN,
    PINSIGHT_OF_ANOTHER,   /* user */
    PINSIGHT_FOR_OTHERS,   /* who may write there */
    PINSIGHT_OWN_UNMARKED, /* own, on a file system that shows other users or modes than were set */
};

/* Whose a folder is, by its owner and its mode. Never PINSIGHT_OWN_UNMARKED. */
enum pinsight_owned pinsight_look_at_owner(int folder);

/* The same, for a folder that is to be written into: where the file system has its own idea of
 * users and modes (sshfs, shared folders of virtual machines), a file is made there, looked at and
 * removed. */
enum pinsight_owned pinsight_try_owner(int folder);

/* What is wrong with a folder that is not own, and what to do about it. */
const char *pinsight_not_own(enum pinsight_owned owned);

/* Locks a file or a folder for this descriptor, within so many milliseconds. Returns 0, or an
 * errno: EWOULDBLOCK where somebody else holds it for longer. */
int pinsight_lock_within(int fd, unsigned ms);

#endif

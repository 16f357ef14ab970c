/*
 * Buffers outside the trace's folder. On NFS, Lustre and similar file systems, another host does
 * not see the memory that a host maps. On btrfs and ZFS, each stored page is written to a new
 * place. On these file systems, buffers are in a folder of a local file system, and links in the
 * trace's folder lead to them.
 */
#ifndef PINSIGHT_FORMAT_LOCAL_H
#define PINSIGHT_FORMAT_LOCAL_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* Writes the folder for the buffers of a trace's folder: "" for the trace's folder itself, also if
 * there is no local one. The trace's identity `uuid` identifies the folder. Any thread. */
void pinsight_local_choose(const char *folder, const uint8_t uuid[16], char path[PATH_MAX]);

/* Makes the file of a buffer, whose name is free in the trace's folder. Returns a descriptor, or -1
 * with errno. */
int pinsight_local_create(const char *local, int folder, const char *name);

/* Opens the file of a buffer of a trace's folder. With `follows`, follows a link into the folder
 * that this user's processes made for this trace; the trace's folder must be own. Returns a
 * descriptor, or -1 with errno: EPERM if a link is not followed, EREMOTE if its target does not
 * exist, as on another host. */
int pinsight_local_open(int folder, const char *name, int flags, bool follows);

/* Removes a buffer's file, and the link to it. The trace's folder must be own. */
void pinsight_local_remove(int folder, const char *name);

#endif

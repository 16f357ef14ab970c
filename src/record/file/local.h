/*
 * Buffers that do not lie in the trace's folder. On NFS, Lustre and their like what a host maps is
 * not what another one sees, and with btrfs and ZFS each page that is stored is written anew. There
 * buffers lie in a folder of a local file system, and links of their names in the trace's folder
 * lead to them.
 */
#ifndef PINSIGHT_RECORD_FILE_LOCAL_H
#define PINSIGHT_RECORD_FILE_LOCAL_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* Writes where the buffers of a folder go: "" for the folder itself, or where no local one is to be
 * had. The folder's number is the trace's. Any thread. */
void pinsight_local_choose(const char *folder, const uint8_t uuid[16], char path[PATH_MAX]);

/* Makes the file of a buffer, for which the name is free in the trace's folder. Returns a
 * descriptor, or -1 with errno set. */
int pinsight_local_create(const char *local, int folder, const char *name);

/* Opens the file of a buffer of a trace's folder, where it is no link. `follows`: or where the link
 * leads into the folder that this user's processes made for this trace; only where the trace's
 * folder is own. Returns a descriptor, or -1 with errno set: EPERM where it is a link that is not
 * followed, EREMOTE where it leads nowhere, as on another host. */
int pinsight_local_open(int folder, const char *name, int flags, bool follows);

/* Removes a buffer's file, and the link to it. Only where the trace's folder is own. */
void pinsight_local_remove(int folder, const char *name);

#endif

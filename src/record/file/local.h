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

/* Makes the file of a buffer, for which `path` is free in the trace's folder. Returns a descriptor,
 * or -1 with errno set. */
int pinsight_local_create(const char *local, const char *path);

/* Where a buffer's file is that a link in a folder leads to. Returns 0; EINVAL where it is no link;
 * or another errno: EPERM where the link is none of ours. */
int pinsight_local_find(int folder, const char *name, char path[PATH_MAX]);

/* Removes a buffer's file, and the link to it. */
void pinsight_local_remove(int folder, const char *name);

#endif

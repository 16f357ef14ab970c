/*
 * The streams of a folder in one file, so that a job of many ranks has few files: a tar archive
 * without compression, .packed.tar in the folder. Its members have the names and the content of the
 * stream files. Readers use the members in place. A file in the folder replaces the member of its
 * name.
 */
#ifndef PINSIGHT_FORMAT_PACKED_H
#define PINSIGHT_FORMAT_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PINSIGHT_PACKED_FILE ".packed.tar"

/* A name in an archive has at most this many bytes, which are the field of its head. */
enum { PINSIGHT_PACKED_NAME = 100, PINSIGHT_PACKED_BLOCK = 512 };

struct pinsight_packed_member {
    char name[PINSIGHT_PACKED_NAME + 1];
    uint64_t at, bytes; /* its content in the archive, which may end earlier */
};

struct pinsight_packed {
    struct pinsight_packed_member *all; /* sorted by name, without duplicates */
    size_t count, capacity;
    uint64_t bytes; /* of all members */
    uint64_t inode; /* of the archive, which may be replaced */
    /* Bytes of the archive's start that are sound. The rest was searched for further members. */
    uint64_t sound;
    bool is_damaged; /* a head is damaged, or the end is missing */
};

/* Reads the list of an archive's members, in the folder with the descriptor `folder`. Members that
 * can be no stream are left out. The archive is not trusted. Returns 0 or an errno: ENOENT if there
 * is no archive. The caller frees the list in any case. Any thread. */
int pinsight_packed_read(int folder, struct pinsight_packed *packed);

/* Like pinsight_packed_read(), for an open archive. */
int pinsight_packed_list(int fd, struct pinsight_packed *packed);

/* Returns a member, or NULL. Any thread. */
const struct pinsight_packed_member *pinsight_packed_find(const struct pinsight_packed *packed,
                                                          const char *name);

void pinsight_packed_free(struct pinsight_packed *packed);

/* Returns whether the file of a stream can have a name. */
bool pinsight_packed_is_name(const char *name);

/* Writes the head of a member. */
void pinsight_packed_head(unsigned char head[PINSIGHT_PACKED_BLOCK], const char *name,
                          uint64_t bytes, int64_t changed_s);

/* The results of packing a folder. */
struct pinsight_packing {
    size_t count;       /* streams in the archive */
    uint64_t bytes;     /* size of the archive */
    size_t added;       /* streams that became members now */
    const char *reason; /* the reason of an EBUSY or an EBADMSG; static text */
};

/* Puts the streams of a folder of the file recorder into its archive, and removes their files after
 * the archive has reached the disk. Members of an earlier archive are kept. Can be repeated after
 * an interruption. Returns 0 or an errno. EBUSY: a process still records into the folder, or its
 * last events are on another host. EBADMSG: an earlier archive is damaged. EPERM: the folder is not
 * own. Any number of processes may call it at the same time. */
int pinsight_pack(const char *folder, struct pinsight_packing *packing);

#endif

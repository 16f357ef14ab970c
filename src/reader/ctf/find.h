/* Finds the CTF traces in a folder. */
#ifndef PINSIGHT_READER_CTF_FIND_H
#define PINSIGHT_READER_CTF_FIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/file/folder.h"

/* A folder with a metadata file and stream files: one trace, or one chunk of one. */
struct pinsight_found_trace {
    char *folder;
    /* How to read it: by a descriptor that is kept open, because LTTng moves a chunk to the others
     * when it is whole; or the folder, where there are too many. */
    char *at;
    int fd; /* -1 where at is the folder */
    uint64_t device, inode;
    bool has_uuid; /* chunks of one trace share it */
    unsigned char uuid[16];
    bool is_ctf_2; /* which is not read */
};

struct pinsight_found {
    struct pinsight_found_trace *traces; /* by path */
    size_t count, capacity;
    uint64_t bytes; /* of all files in them */
    bool chunks;    /* some are chunks of a trace that was rotated */
    /* Some were written by their processes, which lost: */
    bool is_of_files;
    struct pinsight_file_lost lost;
};

/* Looks into path and below. Returns NULL, or a message for the user that the caller frees: there
 * is no such folder, it is none, it is empty, it may not be read, there is no trace in it, or
 * one in CTF 2. A run in which no process recorded anything left no trace, and is found with 0. */
char *pinsight_find_traces(const char *path, struct pinsight_found *found);

void pinsight_found_clear(struct pinsight_found *found);

#endif

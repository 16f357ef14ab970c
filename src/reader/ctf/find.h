/* Finds the CTF traces in a folder. */
#ifndef PINSIGHT_READER_CTF_FIND_H
#define PINSIGHT_READER_CTF_FIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/folder.h"

/* A folder with a metadata file and stream files: a trace, or a chunk of one. */
struct pinsight_found_trace {
    char *folder;
    /* The path to read: that of an open descriptor, because LTTng moves a chunk when it is
     * complete; or the folder, if there are too many. */
    char *at;
    int fd; /* -1 if `at` is the folder */
    uint64_t device, inode;
    bool has_uuid; /* chunks of one trace have the same */
    unsigned char uuid[16];
    bool is_ctf_2; /* it is in CTF 2, which is not supported */
};

struct pinsight_found {
    struct pinsight_found_trace *traces; /* sorted by path */
    size_t count, capacity;
    uint64_t bytes; /* size of all files in them */
    bool chunks;    /* some are chunks of a rotated trace */
    /* Processes wrote some of them with the file recorder, and lost: */
    bool is_of_files;
    struct pinsight_file_lost lost;
};

/* Searches `path` and the folders below it. Returns NULL, or a message for the user that the caller
 * frees. Reasons are that the folder does not exist, is not a folder, is empty or may not be read.
 * It may also contain no trace, or one in CTF 2. A run in which no process recorded anything left
 * no trace; it is found, with a count of 0. */
char *pinsight_find_traces(const char *path, struct pinsight_found *found);

void pinsight_found_clear(struct pinsight_found *found);

#endif

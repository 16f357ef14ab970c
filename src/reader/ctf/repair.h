/* Traces that babeltrace2 refuses as they are: copies without what is damaged, made of links where
 * a file is whole. */
#ifndef PINSIGHT_READER_CTF_REPAIR_H
#define PINSIGHT_READER_CTF_REPAIR_H

#include "reader/ctf/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Temporary folders, and what was done in them. All zero is none. */
struct pinsight_repair {
    char *base; /* the folder that all of them are in; NULL before the first */
    char **folders;
    size_t folder_count, folder_capacity;
    char **cut; /* paths of copies that end where the original was cut off */
    size_t cut_count, cut_capacity;
};

/* Makes a copy of the trace in folder with what can be read of it, and warns of each thing that is
 * damaged. Returns the copy's path (owned by repair), or NULL where nothing is left; then *why is
 * set, to be freed. */
const char *pinsight_repair_copy(struct pinsight_repair *repair, const char *folder,
                                 struct pinsight_source_result *result, char **why);

/* Makes a copy that has only the streams of definitions of a sound trace. Returns its path (owned
 * by repair), or NULL where there are none. */
const char *pinsight_repair_definitions(struct pinsight_repair *repair, const char *folder);

/* The size of the files in a copy, where links lead. */
uint64_t pinsight_repair_bytes(const char *copy);

/* Splits a copy into copies of one stream file each. *list is freed by the caller, what it points
 * to is owned by repair; returns how many. */
size_t pinsight_repair_split(struct pinsight_repair *repair, const char *copy, const char ***list);

/* Whether a stream file is a copy that ends where the original was cut off: the error at its end is
 * no news. */
bool pinsight_repair_is_cut(const struct pinsight_repair *repair, const char *path);

/* Whether a path is in one of the copies. */
bool pinsight_repair_is_copy(const struct pinsight_repair *repair, const char *path);

/* Removes all copies. */
void pinsight_repair_clear(struct pinsight_repair *repair);

#endif

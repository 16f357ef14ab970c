/* Copies of traces that babeltrace2 refuses. A copy leaves out the damage, and has links to
 * undamaged files. */
#ifndef PINSIGHT_READER_CTF_REPAIR_H
#define PINSIGHT_READER_CTF_REPAIR_H

#include "reader/ctf/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Temporary folders and their content. All zero means none. */
struct pinsight_repair {
    char *base; /* folder of all copies; NULL before the first */
    char **folders;
    size_t folder_count, folder_capacity;
    char **cut; /* paths of copies that end at the cut of the original */
    size_t cut_count, cut_capacity;
};

/* Makes a copy of a trace's readable part, and reports each damage. Returns the copy's path (owned
 * by repair), or NULL with the reason in *why, which the caller frees, if nothing is left. */
const char *pinsight_repair_copy(struct pinsight_repair *repair, const char *folder,
                                 struct pinsight_source_result *result, char **why);

/* Makes a copy of only the streams of definitions of a sound trace. Returns its path (owned by
 * repair), or NULL if there are none. */
const char *pinsight_repair_definitions(struct pinsight_repair *repair, const char *folder);

/* Returns the size of the files in a copy, including linked ones. */
uint64_t pinsight_repair_bytes(const char *copy);

/* Splits a copy into copies of one stream file each. Returns their number. The caller frees *list;
 * repair owns its items. */
size_t pinsight_repair_split(struct pinsight_repair *repair, const char *copy, const char ***list);

/* Returns whether a stream file is a copy that ends at the cut of the original. The error at its
 * end is then known. */
bool pinsight_repair_is_cut(const struct pinsight_repair *repair, const char *path);

/* Returns whether a path is in one of the copies. */
bool pinsight_repair_is_copy(const struct pinsight_repair *repair, const char *path);

/* Removes all copies. */
void pinsight_repair_clear(struct pinsight_repair *repair);

#endif

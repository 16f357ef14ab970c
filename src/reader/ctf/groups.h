/* Which of the found folders are one trace: the chunks of one that was rotated. */
#ifndef PINSIGHT_READER_CTF_GROUPS_H
#define PINSIGHT_READER_CTF_GROUPS_H

#include "reader/ctf/find.h"

struct ctf_group {
    const struct pinsight_found_trace **traces; /* the found ones' */
    size_t count;
    /* Folders of the chunks before those that were given, oldest first: definitions are in them. */
    char **before;
    size_t before_count;
};

struct ctf_groups {
    struct ctf_group *items;
    size_t count, capacity;
};

/* Makes the groups of what was found, without those in which nothing is. found must outlive them.
 */
void ctf_groups_make(struct ctf_groups *groups, const struct pinsight_found *found);

void ctf_groups_clear(struct ctf_groups *groups);

#endif

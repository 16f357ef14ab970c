/* Groups of found folders that are chunks of one trace. */
#ifndef PINSIGHT_READER_CTF_GROUPS_H
#define PINSIGHT_READER_CTF_GROUPS_H

#include "reader/ctf/find.h"

struct ctf_group {
    const struct pinsight_found_trace **traces; /* owned by the found list */
    size_t count;
    /* Folders of chunks before the given ones, oldest first, which have definitions. */
    char **before;
    size_t before_count;
};

struct ctf_groups {
    struct ctf_group *items;
    size_t count, capacity;
};

/* Makes the groups of the found traces, without empty ones. `found` must outlive them. */
void ctf_groups_make(struct ctf_groups *groups, const struct pinsight_found *found);

void ctf_groups_clear(struct ctf_groups *groups);

#endif

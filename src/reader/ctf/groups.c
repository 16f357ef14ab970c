/* Groups of folders; see groups.h. */
#include "reader/ctf/groups.h"

#include "base/memory.h"
#include "reader/ctf/chunks.h"
#include "reader/ctf/empty_trace.h"

#include <stdlib.h>
#include <string.h>

static bool are_chunks_of_one(const struct pinsight_found_trace *a,
                              const struct pinsight_found_trace *b) {
    return a->has_uuid && b->has_uuid && memcmp(a->uuid, b->uuid, sizeof(a->uuid)) == 0;
}

/* Makes the group of a trace and of later ones that belong to it. */
static struct ctf_group make(const struct pinsight_found *found, size_t at, bool *taken) {
    struct ctf_group group = {0};
    long number = -1;
    size_t first = at;

    group.traces = pinsight_calloc(found->count - at, sizeof(*group.traces));
    for (size_t i = at; i < found->count; i++) {
        if (taken[i] || (i != at && !are_chunks_of_one(&found->traces[at], &found->traces[i])))
            continue;
        taken[i] = true;
        if (!group.count || pinsight_chunks_number(found->traces[i].at) < number) {
            number = pinsight_chunks_number(found->traces[i].at);
            first = i;
        }
        group.traces[group.count++] = &found->traces[i];
    }
    if (number > 0)
        group.before_count = pinsight_chunks_before(found->traces[first].at, &group.before);
    return group;
}

void ctf_groups_make(struct ctf_groups *groups, const struct pinsight_found *found) {
    bool *taken = pinsight_calloc(found->count, sizeof(*taken));

    for (size_t i = 0; i < found->count; i++)
        if (!taken[i] && !pinsight_trace_is_empty(found->traces[i].at))
            *PINSIGHT_ADD(groups->items, groups->count, groups->capacity) = make(found, i, taken);
    free(taken);
}

void ctf_groups_clear(struct ctf_groups *groups) {
    for (size_t i = 0; i < groups->count; i++) {
        struct ctf_group *group = &groups->items[i];

        for (size_t at = 0; at < group->before_count; at++)
            free(group->before[at]);
        free(group->before);
        free(group->traces);
    }
    free(groups->items);
    *groups = (struct ctf_groups){0};
}

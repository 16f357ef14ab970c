/*
 * Matches the lines of one version with those of the other.
 *
 * A function is known by its file and qualified name. The function's line does not matter, because
 * code above it may have changed. The lines in a function are matched like the lines of a text in
 * `diff`: by the order of their calls. The pairs do not cross. The best matching has the most pairs
 * with equal callees. Among these, it has the most lines whose distance from the function's first
 * line is unchanged. The algorithm is Needleman and Wunsch's alignment, without a penalty for gaps.
 * Functions with one file and one name are matched by their order in the same way.
 */
#include "base/memory.h"
#include "base/order.h"
#include "views/diff/state.h"

#include <stdlib.h>

/* Score of a pair. An unchanged distance adds one. */
#define PAIR 65536u
/* Larger tables are not tried. */
#define MOST_CELLS 4000000u

struct entry {
    uint32_t owner, what; /* what: name and kind */
    int32_t line;
    uint32_t item;
    bool function;
};

/* Sorts functions apart from lines, by owner, then by line. */
ORDER(in_order, struct entry,
      BY(b->function, a->function) ?: BY(a->owner, b->owner) ?: BY(a->line, b->line)
          ?: BY(a->what, b->what))

static struct entry *entries_of(const struct pinsight_diff *diff, unsigned side) {
    struct entry *entries = pinsight_calloc(diff->item_count[side] + 1, sizeof(*entries));

    for (size_t i = 0; i < diff->item_count[side]; i++) {
        const struct pinsight_diff_item *item = &diff->items[side][i];

        entries[i] = (struct entry){.owner = item->owner,
                                    .what = item->name * PINSIGHT_DIFF_KIND_COUNT + item->kind,
                                    .line = item->line,
                                    .item = (uint32_t)i,
                                    .function = item->kind == PINSIGHT_DIFF_FUNCTION};
    }
    PINSIGHT_SORT(entries, diff->item_count[side], in_order);
    return entries;
}

/* Lines of one owner on both sides, and the distance that the function has moved down the file. A
 * trace may name any line, so that the distance needs more bits than a line. */
struct group {
    const struct entry *a, *b;
    size_t a_count, b_count;
    int64_t moved;
};

static uint32_t score(const struct group *group, size_t i, size_t j) {
    if (group->a[i].what != group->b[j].what)
        return 0;
    return PAIR + ((int64_t)group->b[j].line - group->a[i].line == group->moved);
}

/* Matches lines with an unchanged distance, without a table. Both lists are in the order of
 * lines. */
static void match_large(const struct group *group, uint32_t *partner) {
    size_t j = 0;

    for (size_t i = 0; i < group->a_count; i++) {
        struct entry wanted = group->a[i];
        int64_t line = wanted.line + group->moved;

        if (line < INT32_MIN || line > INT32_MAX)
            continue;
        wanted.line = (int32_t)line;
        while (j < group->b_count && in_order(&group->b[j], &wanted) < 0)
            j++;
        if (j < group->b_count && in_order(&group->b[j], &wanted) == 0)
            partner[group->a[i].item] = group->b[j].item;
    }
}

static void match_group(const struct group *group, uint32_t *partner) {
    size_t wide = group->b_count + 1;
    uint32_t *best;
    size_t i = 0, j = 0;

    if (group->a_count * group->b_count > MOST_CELLS) {
        match_large(group, partner);
        return;
    }
    /* best[i, j] is the best score of the lines from a[i] and b[j] on. */
    best = pinsight_calloc((group->a_count + 1) * wide, sizeof(*best));
    for (size_t y = group->a_count; y-- > 0;)
        for (size_t x = group->b_count; x-- > 0;) {
            uint32_t here = score(group, y, x), most = best[(y + 1) * wide + x];

            if (here)
                here += best[(y + 1) * wide + x + 1];
            if (best[y * wide + x + 1] > most)
                most = best[y * wide + x + 1];
            best[y * wide + x] = here > most ? here : most;
        }
    while (i < group->a_count && j < group->b_count) {
        uint32_t here = score(group, i, j);

        if (here && best[i * wide + j] == here + best[(i + 1) * wide + j + 1]) {
            partner[group->a[i].item] = group->b[j].item;
            i++;
            j++;
        } else if (best[i * wide + j] == best[(i + 1) * wide + j]) {
            i++;
        } else {
            j++;
        }
    }
    free(best);
}

static bool is_same_group(const struct entry *a, const struct entry *b) {
    return a->function == b->function && a->owner == b->owner;
}

static size_t group_end(const struct entry *entries, size_t count, size_t from) {
    size_t end = from;

    while (end < count && is_same_group(&entries[end], &entries[from]))
        end++;
    return end;
}

void pinsight_diff_match(const struct pinsight_diff *diff, uint32_t *partner) {
    struct entry *a = entries_of(diff, 0), *b = entries_of(diff, 1);
    size_t i = 0, j = 0;

    for (size_t item = 0; item < diff->item_count[0]; item++)
        partner[item] = PINSIGHT_DIFF_NONE;
    while (i < diff->item_count[0] && j < diff->item_count[1]) {
        const struct pinsight_diff_owner *owner = &diff->owners[a[i].owner];
        struct entry left = a[i], right = b[j];
        struct group group = {.a = &a[i], .b = &b[j]};

        left.line = right.line = 0;
        left.what = right.what = 0;
        if (in_order(&left, &right)) {
            if (in_order(&left, &right) < 0)
                i = group_end(a, diff->item_count[0], i);
            else
                j = group_end(b, diff->item_count[1], j);
            continue;
        }
        group.a_count = group_end(a, diff->item_count[0], i) - i;
        group.b_count = group_end(b, diff->item_count[1], j) - j;
        if (!a[i].function && owner->first_line[0] && owner->first_line[1])
            group.moved = (int64_t)owner->first_line[1] - owner->first_line[0];
        match_group(&group, partner);
        i += group.a_count;
        j += group.b_count;
    }
    free(a);
    free(b);
}

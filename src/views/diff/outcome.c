/* Sums up a comparison in one sentence and one number. */
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "views/diff/state.h"

#include <stdlib.h>

static bool has_python(const struct pinsight_diff *diff) {
    for (size_t i = 0; i < diff->row_count; i++)
        if (diff->rows[i].compared && diff->rows[i].kind == PINSIGHT_DIFF_FUNCTION)
            return true;
    return false;
}

/* Returns whether a row is part of the whole time. Functions and C calls share a run's time.
 * Regions and MPI calls are within the time of the C calls that made them. Regions and MPI calls
 * count only if no Python was compared. A region that the program names has all of these in it. */
static bool is_part(const struct pinsight_diff_row *row, bool python) {
    return !row->waits && row->kind != PINSIGHT_DIFF_MARKED &&
           python == (row->kind == PINSIGHT_DIFF_FUNCTION || row->kind == PINSIGHT_DIFF_C_CALL);
}

static bool is_change(const struct pinsight_diff_row *row, bool python) {
    return is_part(row, python) && pinsight_diff_is_work(row) &&
           row->verdict != PINSIGHT_DIFF_UNCLEAR;
}

/* Returns the time of a row in A, on the basis of its change: undisturbed if known. */
static uint64_t time_of_a(const struct pinsight_diff_row *row) {
    const struct pinsight_diff_stat *stats = row->sides[0].stats;

    return row->steady ? stats[PINSIGHT_DIFF_STEADY].median : stats[PINSIGHT_DIFF_SELF].median;
}

static uint64_t size_of(int64_t change) {
    return change < 0 ? -(uint64_t)change : (uint64_t)change;
}

struct pinsight_diff_outcome pinsight_diff_outcome(const struct pinsight_diff *diff) {
    struct pinsight_diff_outcome outcome = {.most = NULL};
    const bool python = has_python(diff);
    uint64_t whole = 0;

    for (size_t i = 0; i < diff->row_count; i++) {
        const struct pinsight_diff_row *row = &diff->rows[i];

        if (is_part(row, python))
            whole += time_of_a(row);
        if (is_change(row, python))
            outcome.change_ns += pinsight_diff_judged_change(row);
    }
    for (size_t i = 0; i < diff->row_count; i++) {
        const struct pinsight_diff_row *row = &diff->rows[i];
        int64_t change = pinsight_diff_judged_change(row);

        if (is_change(row, python) && (change < 0) == (outcome.change_ns < 0) &&
            (!outcome.most || size_of(change) > size_of(pinsight_diff_judged_change(outcome.most))))
            outcome.most = row;
    }
    if (whole)
        outcome.percent = (double)outcome.change_ns * 100 / (double)whole;
    return outcome;
}

/* Returns a sentence such as "B is 12.3 % slower than A: most by key (titles.py:16), 263 ms before,
 * 373 ms now". */
char *pinsight_diff_sentence(const struct pinsight_diff *diff) {
    const struct pinsight_diff_outcome outcome = pinsight_diff_outcome(diff);
    const struct pinsight_diff_side *sides = outcome.most ? outcome.most->sides : NULL;
    const bool slower = outcome.change_ns > 0;
    char *name, *place, *text;

    if (!diff->noise_known || !outcome.most)
        return NULL;
    name = pinsight_text_clean(outcome.most->name);
    place = pinsight_text_place(pinsight_text_file(sides[sides[1].file ? 1 : 0].file),
                                sides[sides[1].file ? 1 : 0].line);
    text = pinsight_format(
        "B is %.1f %% %s than A: most by %s%s%s%s, %s before, %s now",
        slower ? outcome.percent : -outcome.percent, slower ? "slower" : "faster", name,
        place[0] ? " (" : "", place, place[0] ? ")" : "",
        sides[0].seen ? pinsight_units_time(pinsight_diff_judged(outcome.most, 0)->median).text
                      : "nothing",
        sides[1].seen ? pinsight_units_time(pinsight_diff_judged(outcome.most, 1)->median).text
                      : "nothing");
    PINSIGHT_FREE(name, place);
    return text;
}

/* Comparisons with runs of a store; see diff_store.h. */
#include "cli/diff_store.h"

#include "base/memory.h"
#include "base/message.h"
#include "cli/diff_runs.h"
#include "cli/store.h"
#include "cli/view_options.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Returns the runs in FILE:RUNS if FILE is a file, else NULL. RUNS is like 7 or 1-5,9. */
static const char *runs_of(const char *word) {
    const char *colon = strrchr(word, ':');
    struct stat status;
    char *file;
    bool is_file;

    if (!colon || !colon[1] || colon[1 + strspn(colon + 1, "0123456789,-")] ||
        stat(word, &status) == 0)
        return NULL;
    file = pinsight_memdup(word, (size_t)(colon - word));
    is_file = stat(file, &status) == 0 && S_ISREG(status.st_mode);
    free(file);
    return is_file ? colon + 1 : NULL;
}

bool cli_diff_has_stored(const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (runs_of(words[i]))
            return true;
    return false;
}

bool cli_diff_fits_store(const char *verb, const struct pinsight_diff_options *options) {
    const struct pinsight_diff_options defaults = pinsight_diff_defaults();

    if (!options->all && options->sort == defaults.sort && options->limit == defaults.limit &&
        options->min_change == defaults.min_change && options->min_share == defaults.min_share &&
        options->format <= PINSIGHT_FORMAT_JSON)
        return true;
    pinsight_error(
        "of runs in a store, %s shows what `pinsight store diff` does: of the options for "
        "the result, it has --fail-above, and --format text or json",
        verb);
    return false;
}

/* Finds the store of the words. Returns the length of its name in *word, or 0 after a message if
 * they are of two. */
static size_t store_of(const char *const *const words[2], const size_t counts[2],
                       const char **word) {
    size_t length = 0;

    for (unsigned side = 0; side < 2; side++)
        for (size_t i = 0; i < counts[side]; i++) {
            const char *one = words[side][i], *runs = runs_of(one);

            if (!runs)
                continue;
            if (length &&
                (length != (size_t)(runs - 1 - one) || strncmp(one, *word, length) != 0)) {
                pinsight_error("\"%s\" and \"%s\" are of two stores; runs of one are compared",
                               *word, one);
                return 0;
            }
            *word = one;
            length = (size_t)(runs - 1 - one);
        }
    return length;
}

int cli_diff_stored(const char *const *const words[2], const size_t counts[2],
                    const struct pinsight_diff_options *options, double fail_above) {
    const char *word = NULL;
    size_t length = store_of(words, counts, &word), count = 0;
    const char **sides;
    char *file;
    int rc = 1;

    if (!length)
        return 2;
    file = pinsight_memdup(word, length);
    sides = pinsight_calloc(counts[0] + counts[1] + 1, sizeof(*sides));
    for (unsigned side = 0; side < 2; side++) {
        if (side)
            sides[count++] = CLI_STORE_TO;
        for (size_t i = 0; i < counts[side]; i++) {
            const char *runs = runs_of(words[side][i]);

            sides[count] = runs ? runs : pinsight_trace_chosen(words[side][i]);
            if (!sides[count++])
                goto end;
        }
    }
    rc = cli_store_diff(file, options->format == PINSIGHT_FORMAT_JSON ? "json" : "table",
                        fail_above, sides, count);
end:
    PINSIGHT_FREE((void *)sides, file);
    return rc;
}

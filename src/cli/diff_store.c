/* Compares runs of a store; see diff_store.h. */
#include "cli/diff_store.h"

#include "base/memory.h"
#include "base/message.h"
#include "cli/verbs.h"

#include <getopt.h>
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

int cli_diff_stored(const char *a, const char *b, const char *format, double fail_above) {
    const char *runs[2] = {runs_of(a), runs_of(b)};
    size_t length = runs[0] ? (size_t)(runs[0] - a) : 0;
    char *file, *above;
    int rc;

    if (!runs[0] || !runs[1]) {
        pinsight_error("%s is a trace, and the other side has runs of a store; `pinsight store "
                       "add` takes a trace into the store",
                       runs[0] ? b : a);
        return 2;
    }
    if (length != (size_t)(runs[1] - b) || strncmp(a, b, length) != 0) {
        pinsight_error("\"%s\" and \"%s\" are of two stores; runs of one are compared", a, b);
        return 2;
    }
    file = pinsight_memdup(a, length - 1);
    above = pinsight_format("--fail-above=%.17g", fail_above);
    char *words[10] = {"store", "diff", "--file", file, "--format", (char *)format};
    int count = 6;
    if (fail_above >= 0)
        words[count++] = above;
    words[count++] = (char *)runs[0];
    words[count++] = (char *)runs[1];
    optind = 0; /* getopt_long(3): begins with other words */
    rc = pinsight_cmd_store(count, words);
    PINSIGHT_FREE(file, above);
    return rc;
}

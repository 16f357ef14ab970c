/* Messages about unknown options and values; see unknown.h. */
#include "cli/unknown.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "base/words.h"

enum { OPTIONS_MAX = 31 };

void cli_unknown_word(const char *option, const char *typed, const char *const *words) {
    char list[256];
    const char *nearest = pinsight_word_meant(typed, words);

    pinsight_word_list(words, list, sizeof(list));
    if (nearest != NULL) {
        pinsight_error("%s does not know '%s'; did you mean '%s'? (it takes %s)", option, typed,
                       nearest, list);
    } else {
        pinsight_error("%s does not know '%s'; it takes %s", option, typed, list);
    }
}

void cli_unknown_option(const char *verb, int kind, char **argv,
                        const struct option *long_options) {
    const char *typed = argv[optind - 1];
    const char *words[OPTIONS_MAX + 1];
    char name[64];
    size_t count = 0;
    bool is_long = optopt == 0; /* getopt returns no letter for an unknown long option */

    if (kind == ':') {
        pinsight_error("%s needs a value; see `pinsight %s --help`", typed, verb);
        return;
    }
    for (const struct option *option = long_options; option->name != NULL; option++) {
        if (count < OPTIONS_MAX) {
            words[count++] = option->name;
        }
        is_long = is_long || option->val == optopt;
        if (optopt != 0 && option->val == optopt && option->has_arg == no_argument) {
            pinsight_error("--%s takes no value: '%s'", option->name, typed);
            return;
        }
    }
    words[count] = NULL;
    /* In a group of letters (-xq), the typed word is unknown, because optind may still be before
     * it. */
    if (!is_long) {
        pinsight_error("unknown option '-%c'; see `pinsight %s --help`%s",
                       isprint(optopt) ? optopt : '?', verb,
                       strcmp(verb, "run") == 0 ? ", and put -- before the command" : "");
        return;
    }
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(typed + 2, "="), typed + 2);
    if (strcmp(name, "libomp") == 0) {
        pinsight_error("--libomp is gone: GCC's OpenMP is recorded as it is; to run a command on "
                       "LLVM's, set LD_PRELOAD to that libomp's path before `pinsight %s`",
                       verb);
        return;
    }
    const char *nearest = pinsight_word_meant(name, words);
    if (nearest != NULL) {
        pinsight_error("unknown option '--%s'; did you mean '--%s'?", name, nearest);
    } else {
        pinsight_error("unknown option '--%s'; see `pinsight %s --help`", name, verb);
    }
}

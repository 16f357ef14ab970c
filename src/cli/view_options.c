/* Options of the verbs that read a trace. */
#include "cli/view_options.h"

#include "cli/words.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_OPTIONS 32
#define MAX_WORD 32

int pinsight_option_word(const char *option, const char *value, const char *const *words,
                         int *choice) {
    const char *nearest;

    for (int i = 0; words[i]; i++)
        if (!strcmp(words[i], value)) {
            *choice = i;
            return 0;
        }
    nearest = pinsight_word_nearest(value, words);
    fprintf(stderr, "pinsight: %s does not know \"%s\"; ", option, value);
    if (nearest)
        fprintf(stderr, "did you mean \"%s\"? The words are", nearest);
    else
        fputs("the words are", stderr);
    for (int i = 0; words[i]; i++)
        fprintf(stderr, "%s %s", i ? "," : "", words[i]);
    putc('\n', stderr);
    return -1;
}

int pinsight_option_number(const char *option, const char *value, int64_t most, int64_t *number) {
    char *end;

    errno = 0;
    *number = strtoll(value, &end, 10);
    if (value[0] >= '0' && value[0] <= '9' && !*end && !errno && *number <= most)
        return 0;
    fprintf(stderr, "pinsight: %s takes a whole number from 0 to %" PRId64 ", not \"%s\"\n", option,
            most, value);
    return -1;
}

int pinsight_option_percent(const char *option, const char *value, double *number) {
    char *end;

    *number = strtod(value, &end);
    if (end != value && *end == '%')
        end++;
    if (end != value && !*end && *number >= 0 && *number <= 100)
        return 0;
    fprintf(stderr, "pinsight: %s takes a share from 0 to 100 percent, not \"%s\"\n", option,
            value);
    return -1;
}

/* The long option that a mistyped word is nearest to, or NULL. */
static const char *nearest_option(const char *word, const struct option *options) {
    const char *words[MOST_OPTIONS + 1] = {NULL};

    for (size_t i = 0; options[i].name && i < MOST_OPTIONS; i++)
        words[i] = options[i].name;
    return pinsight_word_nearest(word, words);
}

int pinsight_option_error(const char *verb, int kind, char **argv,
                          const struct option *long_options) {
    const char *word = argv[optind - 1];
    char name[MAX_WORD + 1] = {0};
    const char *nearest;

    if (kind == ':') {
        fprintf(stderr, "pinsight: %s wants a value; `pinsight %s --help` lists the options\n",
                word, verb);
        return 2;
    }
    if (optopt && optopt < 256 && strncmp(word, "--", 2) != 0) {
        fprintf(stderr,
                "pinsight: there is no option -%c; `pinsight %s --help` lists the options\n",
                optopt, verb);
        return 2;
    }
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="), word + 2);
    nearest = nearest_option(name, long_options);
    if (nearest && !strcmp(nearest, name))
        fprintf(stderr, "pinsight: --%s takes no value\n", name);
    else if (nearest)
        fprintf(stderr, "pinsight: there is no option %s; did you mean --%s?\n", word, nearest);
    else
        fprintf(stderr, "pinsight: there is no option %s; `pinsight %s --help` lists the options\n",
                word, verb);
    return 2;
}

int pinsight_option_trace(const char *verb, int argc, char **argv, const char **trace) {
    if (optind == argc) {
        fprintf(stderr,
                "pinsight: which trace? Give the folder that `pinsight run` wrote; "
                "`pinsight %s --help` has examples\n",
                verb);
        return -1;
    }
    if (argc - optind > 1) {
        fprintf(stderr, "pinsight: one trace at a time, not \"%s\" and \"%s\"\n", argv[optind],
                argv[optind + 1]);
        return -1;
    }
    *trace = argv[optind];
    return 0;
}

int pinsight_option_write_error(void) {
    if (errno == EPIPE)
        return 0;
    fprintf(stderr, "pinsight: the output could not be written: %s\n", strerror(errno));
    return 1;
}

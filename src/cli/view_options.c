/* Options of the verbs that read a trace. */
#include "cli/view_options.h"

#include "cli/complaints.h"
#include "cli/words.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int pinsight_option_word(const char *option, const char *value, const char *const *words,
                         int *choice) {
    const char *word = pinsight_word_find(value, strlen(value), words);
    char complaint[512];

    for (int i = 0; word && words[i]; i++)
        if (words[i] == word) {
            *choice = i;
            return 0;
        }
    pinsight_complaint_word(complaint, sizeof(complaint), option, value, words);
    fprintf(stderr, "pinsight: %s\n", complaint);
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

int pinsight_option_error(const char *verb, int kind, char **argv,
                          const struct option *long_options) {
    char complaint[512];

    pinsight_complaint_option(complaint, sizeof(complaint), verb, kind, argv, long_options);
    fprintf(stderr, "pinsight: %s\n", complaint);
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

/* Tables of options as getopt_long wants them. */
#include "cli/options.h"

#include <stdio.h>
#include <string.h>

/* Of options that have neither an id nor a letter. */
#define FIRST_ID 256

int cli_option_id(const struct cli_verb *verb, size_t index) {
    const struct cli_option *option = &verb->options[index];

    return option->id ? option->id : option->letter ? option->letter : FIRST_ID + (int)index;
}

void cli_getopt(const struct cli_verb *verb, const char *prefix, struct cli_getopt *getopt) {
    char *letter = stpcpy(getopt->letters, prefix);

    memset(getopt->longs, 0, sizeof(getopt->longs));
    for (size_t i = 0; i < verb->option_count; i++) {
        const struct cli_option *option = &verb->options[i];
        int has_value = option->value ? required_argument : no_argument;

        getopt->longs[i] = (struct option){option->name, has_value, NULL, cli_option_id(verb, i)};
        if (option->letter)
            letter += sprintf(letter, "%c%s", option->letter, option->value ? ":" : "");
    }
}

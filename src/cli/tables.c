/* Prints the verbs and their options as JSON. This program runs when PInsight is built; gen_man.py
 * makes the man pages from its output. */
#include "base/json.h"
#include "cli/options.h"

#include <stdio.h>

static void print_option(struct pinsight_json *json, const struct cli_option *option) {
    const char letter[2] = {option->letter};
    const char *word;

    pinsight_json_open(json, NULL, '{');
    pinsight_json_string(json, "name", option->name);
    pinsight_json_text(json, "letter", letter);
    pinsight_json_text(json, "value", option->value);
    pinsight_json_string(json, "help", option->help);
    pinsight_json_open(json, "words", '[');
    for (size_t i = 0; (word = cli_option_word(option, i)); i++)
        pinsight_json_string(json, NULL, word);
    pinsight_json_close(json, ']');
    pinsight_json_close(json, '}');
}

int main(void) {
    struct pinsight_json json = {.out = stdout, .first = true};
    const struct cli_option *option;

    pinsight_json_open(&json, NULL, '{');
    for (const struct cli_entry *entry = cli_entries; entry->verb; entry++) {
        pinsight_json_open(&json, entry->verb->name, '{');
        pinsight_json_string(&json, "about", entry->verb->about);
        pinsight_json_open(&json, "options", '[');
        for (size_t i = 0; (option = cli_option_at(entry->verb, i)); i++)
            print_option(&json, option);
        pinsight_json_close(&json, ']');
        pinsight_json_close(&json, '}');
    }
    pinsight_json_close(&json, '}');
    return fflush(stdout) ? 1 : 0;
}

/* What a process is called; see program_name.h. */
#include "views/report/program_name.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct word {
    const char *text;
    size_t length;
};

static struct word next_word(const char **rest) {
    struct word word = {*rest + strspn(*rest, " "), 0};

    word.length = strcspn(word.text, " ");
    *rest = word.text + word.length;
    return word;
}

/* Without the folders that it is in. */
static struct word last_part(struct word path) {
    size_t at = path.length;

    while (at > 1 && path.text[at - 1] == '/') /* a folder may be run, too */
        at--;
    while (at && path.text[at - 1] != '/')
        at--;
    return (struct word){path.text + at, path.length - at};
}

static bool is_interpreter(struct word program) {
    static const char *const names[] = {"python", "pypy"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (program.length >= strlen(names[i]) &&
            strncmp(program.text, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* What an interpreter runs; of no length where that has no name. Its options are those of
 * `python --help`: one letter each, which may stand together; -c, -m, -W and -X have an argument.
 */
static struct word what_it_runs(const char *command) {
    static const char with_argument[] = "--check-hash-based-pycs";
    const struct word none = {"", 0};

    next_word(&command);
    for (;;) {
        struct word word = next_word(&command);

        if (word.length == 0 || word.text[0] != '-')
            return word.length ? last_part(word) : none;
        if (word.length == 1)
            return none; /* what comes from standard input */
        if (word.text[1] == '-') {
            if (word.length == strlen(with_argument) &&
                strncmp(word.text, with_argument, word.length) == 0)
                next_word(&command);
            continue;
        }
        for (size_t i = 1; i < word.length; i++) {
            struct word argument = {word.text + i + 1, word.length - i - 1};

            if (word.text[i] == 'c')
                return none;
            if (!strchr("mWX", word.text[i]))
                continue;
            if (argument.length == 0)
                argument = next_word(&command);
            if (word.text[i] == 'm')
                return argument;
            break;
        }
    }
}

char *pinsight_program_name(const char *program, const char *command, char *buffer, size_t size) {
    struct word name = last_part((struct word){program, strlen(program)});

    if (is_interpreter(name)) {
        struct word runs = what_it_runs(command);
        if (runs.length)
            name = runs;
    }
    snprintf(buffer, size, "%.*s", (int)name.length, name.text);
    return buffer;
}

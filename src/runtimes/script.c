/* The first line of a script; see script.h. */
#include "runtimes/script.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/safe_files.h"

enum { KERNEL_READS = 256 };

static char *next_line(char *text) {
    char *end = strchr(text, '\n');

    return end != NULL ? end + 1 : NULL;
}

/*
 * Takes the interpreter of the second line, `'''exec' "/a path/python" "$0" "$@"`, which is the
 * begin of a string to Python. Returns false if the line is another one.
 */
static bool take_second_line(struct pinsight_first_line *line) {
    static const char begin[] = "'''exec' ";
    char *second = strncmp(line->text, "#!/bin/sh\n", 10) == 0 ? next_line(line->text) : NULL;

    if (second == NULL || strncmp(second, begin, strlen(begin)) != 0) {
        return false;
    }
    char *path = second + strlen(begin);
    bool quoted = *path == '"';
    path += quoted;
    size_t length = strcspn(path, quoted ? "\"\n" : " \n");
    if (*path != '/' || strncmp(path + length + quoted, " \"$0\" \"$@\"", 10) != 0) {
        return false;
    }
    memmove(line->text, path, length);
    line->argument = line->text + length;
    *line->argument = '\0';
    return true;
}

bool pinsight_script_first_line(const char *path, struct pinsight_first_line *line) {
    int fd = pinsight_open_regular(AT_FDCWD, path, O_RDONLY);
    char *text = line->text;

    if (fd < 0) {
        return false;
    }
    ssize_t n = read(fd, text, sizeof(line->text) - 1);
    close(fd);
    if (n < 3 || text[0] != '#' || text[1] != '!') {
        return false;
    }
    text[n] = '\0';
    if (take_second_line(line)) {
        return true;
    }
    text[n < KERNEL_READS ? n : KERNEL_READS] = '\0';
    text[strcspn(text, "\n")] = '\0';
    size_t start = 2 + strspn(text + 2, " \t");
    memmove(text, text + start, strlen(text + start) + 1);
    size_t length = strcspn(text, " \t");
    line->argument = text + length + strspn(text + length, " \t");
    text[length] = '\0';
    for (size_t end = strlen(line->argument);
         end > 0 && strchr(" \t\r", line->argument[end - 1]) != NULL;) {
        line->argument[--end] = '\0';
    }
    return *text != '\0';
}

static const char *base_of(const char *path) {
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

static bool is_python(const char *path) {
    const char *name = base_of(path);

    return strncmp(name, "python", 6) == 0 || strncmp(name, "pypy", 4) == 0;
}

bool pinsight_script_is_python(const struct pinsight_first_line *line) {
    if (strcmp(base_of(line->text), "env") != 0) {
        return is_python(line->text);
    }
    const char *word = line->argument;
    if (strncmp(word, "-S", 2) == 0) {
        word += 2 + strspn(word + 2, " \t");
    }
    return is_python(word);
}

bool pinsight_script_has_python_name(const char *name) {
    static const char *const suffixes[] = {".py", ".pyw", ".pyz"};
    const char *suffix = strrchr(base_of(name), '.');

    for (size_t i = 0; suffix != NULL && i < sizeof(suffixes) / sizeof(*suffixes); i++) {
        if (suffix != base_of(name) && strcmp(suffix, suffixes[i]) == 0) {
            return true;
        }
    }
    return false;
}

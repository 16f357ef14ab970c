/* Commands that name the file of a Python program; see run_script.h. */
#include "cli/run_script.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/program.h"
#include "cli/run_errors.h"
#include "runtimes/script.h"

enum { EXIT_NOT_FOUND = 127 };

/* The file of a command's first word. */
struct script {
    const char *name;
    bool is_program; /* a Python runs it */
    bool has_line;   /* it has a first line with #! */
    bool executable;
    struct pinsight_first_line line;
};

/* Returns whether a folder is a program, by its file __main__.py. */
static bool is_package(const char *folder) {
    char path[PATH_MAX];

    return snprintf(path, sizeof(path), "%s/__main__.py", folder) < (int)sizeof(path) &&
           access(path, F_OK) == 0;
}

static struct script look(const char *name) {
    struct script script = {.name = name};
    struct stat about;

    if (stat(name, &about) != 0) {
        return script;
    }
    if (S_ISDIR(about.st_mode)) {
        script.is_program = is_package(name);
        return script;
    }
    script.has_line = pinsight_script_first_line(name, &script.line);
    script.executable = access(name, X_OK) == 0;
    script.is_program =
        S_ISREG(about.st_mode) && (pinsight_script_has_python_name(name) ||
                                   (script.has_line && pinsight_script_is_python(&script.line)));
    return script;
}

bool pinsight_run_script_is(const char *word) {
    return pinsight_script_has_python_name(word) || look(word).is_program;
}

/* Returns the command with words before it. If the command's first word looks like an option, it
 * becomes a path. */
static char **with_words(char **command, const char *first, const char *second) {
    const char *name = command[0];
    size_t count = 0, at = 0;
    char **words;

    while (command[count] != NULL) {
        count++;
    }
    words = pinsight_calloc(count + 3, sizeof(*words));
    if (first != NULL) {
        words[at++] = pinsight_strdup(first);
    }
    if (second != NULL && *second != '\0') {
        words[at++] = pinsight_strdup(second);
    }
    bool is_plain = first != NULL && *name != '-';
    words[at++] = is_plain ? pinsight_strdup(name) : pinsight_format("./%s", name);
    memcpy(words + at, command + 1, count * sizeof(*words));
    return words;
}

/* Returns the program that the first line names: the one that env starts, or the interpreter. */
static const char *named_by(const struct pinsight_first_line *line) {
    const char *slash = strrchr(line->text, '/');
    bool is_env = strcmp(slash != NULL ? slash + 1 : line->text, "env") == 0;
    bool is_name = line->argument[strcspn(line->argument, " \t=")] == '\0';

    return is_env && is_name && *line->argument != '\0' && *line->argument != '-' ? line->argument
                                                                                  : line->text;
}

/* Takes the interpreter of the first line, as execve(2) does. */
static int take_line(struct script *script, char ***command, char *note, size_t room) {
    char path[PATH_MAX];
    const char *named = named_by(&script->line);

    if (!script->executable) {
        script->line.text[strcspn(script->line.text, "\r")] = '\0';
    }
    if (pinsight_program_find(script->line.text, path) != 0) {
        return pinsight_run_report_line(script->name, script->line.text);
    }
    if (pinsight_program_find(named, path) != 0) {
        return pinsight_run_report_line(script->name, named);
    }
    if (script->executable && strchr(script->name, '/') != NULL) {
        return -1;
    }
    /* The name alone would be searched for on PATH. */
    *command = script->executable ? with_words(*command, NULL, NULL)
                                  : with_words(*command, script->line.text, script->line.argument);
    snprintf(note, room, "%s runs in %s%s%s, as its first line says", script->name,
             script->line.text, *script->line.argument != '\0' ? " " : "", script->line.argument);
    return -1;
}

/* Takes the Python that a shell would find. */
static int take_path(const struct script *script, char ***command, char *note, size_t room) {
    static const char *const names[] = {"python3", "python"};
    char path[PATH_MAX];

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (pinsight_program_find(names[i], path) == 0) {
            *command = with_words(*command, names[i], NULL);
            snprintf(note, room, "%s runs in %s, the first %s on PATH", script->name, path,
                     names[i]);
            return -1;
        }
    }
    pinsight_error("%s: there is no python3 on PATH to run it; name one: pinsight run -- "
                   "/path/to/python3 %s",
                   script->name, script->name);
    return EXIT_NOT_FOUND;
}

int pinsight_run_script_take(char ***command, char *note, size_t room) {
    const char *name = (*command)[0];
    char path[PATH_MAX];

    note[0] = '\0';
    if (strchr(name, '/') == NULL && pinsight_program_find(name, path) == 0) {
        return -1;
    }
    struct script script = look(name);
    if (!script.is_program) {
        return -1;
    }
    return script.has_line ? take_line(&script, command, note, room)
                           : take_path(&script, command, note, room);
}

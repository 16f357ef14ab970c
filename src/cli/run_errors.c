/* Messages for commands that cannot be executed, and exit statuses like those of a shell. */
#include "cli/run_errors.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/program.h"
#include "base/words.h"
#include "runtimes/script.h"

enum { EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };

/* The most programs of a folder that are compared. */
enum { PROGRAMS_MAX = 200 };

/* Returns the Python program in the current folder whose name resembles a missing one. The caller
 * frees it. Returns NULL if there is none. */
static char *program_meant(const char *name) {
    const char *words[PROGRAMS_MAX + 1];
    DIR *folder = opendir(".");
    struct dirent *entry;
    size_t count = 0;

    while (folder != NULL && count < PROGRAMS_MAX && (entry = readdir(folder)) != NULL) {
        if (pinsight_script_has_python_name(entry->d_name)) {
            words[count++] = pinsight_strdup(entry->d_name);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
    words[count] = NULL;
    const char *nearest = pinsight_word_meant(name, words);
    char *meant = nearest != NULL ? pinsight_strdup(nearest) : NULL;
    while (count > 0) {
        free((char *)words[--count]);
    }
    return meant;
}

static bool is_folder(const char *name) {
    struct stat about;

    return stat(name, &about) == 0 && S_ISDIR(about.st_mode);
}

static void say_not_found(const char *name) {
    char *meant = strchr(name, '/') == NULL ? program_meant(name) : NULL;

    if (strchr(name, '/') != NULL) {
        pinsight_error("%s: there is no such file; check the path of the command", name);
    } else if (meant != NULL) {
        pinsight_error("%s: there is no such file here; did you mean %s?", name, meant);
    } else if (pinsight_script_has_python_name(name)) {
        pinsight_error("%s: there is no such file here; check its name, or give its path", name);
    } else if (access(name, F_OK) == 0) {
        pinsight_error("%s: the file here is no Python program, and no command on PATH has that "
                       "name; to execute the file, write ./%s",
                       name, name);
    } else {
        pinsight_error("%s: command not found; check its name, or give its path", name);
    }
    free(meant);
}

static int say_folder(const char *name) {
    pinsight_error("%s: is a folder, not a command; Python runs one that has a file __main__.py",
                   name);
    return EXIT_NOT_EXECUTABLE;
}

int pinsight_run_report_start(const char *name, int error) {
    switch (error) {
    case ENOENT:
        if (is_folder(name)) {
            return say_folder(name);
        }
        say_not_found(name);
        return EXIT_NOT_FOUND;
    case EISDIR:
        return say_folder(name);
    case EACCES:
        pinsight_error("%s: cannot be executed; check its permissions (chmod +x)", name);
        return EXIT_NOT_EXECUTABLE;
    default:
        pinsight_error("%s: cannot be executed: %s", name, strerror(error));
        return EXIT_NOT_EXECUTABLE;
    }
}

int pinsight_run_report_line(const char *name, const char *interpreter) {
    const size_t length = strcspn(interpreter, "\r");

    if (interpreter[length] != '\0') {
        pinsight_error(
            "%s: its lines end as those of Windows do, so that its first line names no "
            "interpreter that is there; write it with \\n alone, or run: pinsight run -- "
            "python3 %s",
            name, name);
    } else {
        pinsight_error("%s: its first line names %s, which is not there; correct that line, or "
                       "run: pinsight run -- python3 %s",
                       name, interpreter, name);
    }
    return EXIT_NOT_FOUND;
}

int pinsight_run_report_exec(const char *name, int error) {
    struct pinsight_first_line line;
    char path[PATH_MAX];

    if (error != ENOENT || pinsight_program_find(name, path) != 0) {
        return pinsight_run_report_start(name, error);
    }
    if (pinsight_script_first_line(path, &line)) {
        return pinsight_run_report_line(name, line.text);
    }
    pinsight_error("%s: the interpreter that its ELF header names is not there; install it", name);
    return EXIT_NOT_FOUND;
}

/* Commands that cannot be executed: what is said, and the exit status, as a shell has it. */
#include "cli/run_errors.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/message.h"
#include "base/program.h"

enum { EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };

int pinsight_run_report_start(const char *name, int error) {
    switch (error) {
    case ENOENT:
        if (strchr(name, '/') != NULL) {
            pinsight_error("%s: there is no such file; check the path of the command", name);
        } else {
            pinsight_error("%s: command not found; check its name, or give its path", name);
        }
        return EXIT_NOT_FOUND;
    case EISDIR:
        pinsight_error("%s: is a folder, not a command", name);
        return EXIT_NOT_EXECUTABLE;
    case EACCES:
        pinsight_error("%s: cannot be executed; check its permissions (chmod +x)", name);
        return EXIT_NOT_EXECUTABLE;
    default:
        pinsight_error("%s: cannot be executed: %s", name, strerror(error));
        return EXIT_NOT_EXECUTABLE;
    }
}

int pinsight_run_report_exec(const char *name, int error) {
    char path[PATH_MAX];

    if (error == ENOENT && pinsight_program_find(name, path) == 0) {
        pinsight_error("%s: the interpreter that its first line (#!) or its ELF header names is "
                       "not there; correct that",
                       name);
        return EXIT_NOT_FOUND;
    }
    return pinsight_run_report_start(name, error);
}

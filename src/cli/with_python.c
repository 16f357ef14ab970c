/* Starts a Python for a part of the command; see with_python.h. */
#include "cli/with_python.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/paths.h"
#include "base/program.h"
#include "doctor/capture.h"
#include "runtimes/command.h"

enum { ANSWER_MS = 10000 };

/* The program that Python runs. The first argument is the folder with the package, or "" if the
 * Python itself has it. The path of modules then has no present folder, whose files could have the
 * names of modules. The second argument is the module. */
static const char program[] =
    "import sys\n"
    "sys.path[0:1] = [sys.argv[1]] if sys.argv[1] else []\n"
    "from importlib import import_module\n"
    "try:\n"
    "    module = import_module('pinsight.' + sys.argv[2])\n"
    "except ImportError as problem:\n"
    "    sys.exit('pinsight: %s lacks a module (%s); name the Python that PInsight was installed "
    "into: --python PATH' % (sys.executable, problem))\n"
    "sys.exit(module.main(*sys.argv[3:]))\n";

/* Returns whether a program is a Python. An ELF file of a Python is not started. Another program,
 * such as a script that starts a Python, has ANSWER_MS to print a line. */
static bool works(char *python) {
    static char question[] = "print('It is a', 'Python')";
    struct pinsight_command command;
    char said[256];

    pinsight_command_look_at(&command, python);
    bool is_python = command.is_python;
    pinsight_command_free(&command);
    return is_python || (pinsight_capture((char *[]){python, "-I", "-c", question, NULL}, ANSWER_MS,
                                          said, sizeof(said)) == 0 &&
                         strstr(said, "It is a Python\n") != NULL);
}

/* Finds the Python. Returns false after a message. */
static bool find(const char *wanted, const char *why, char python[PATH_MAX]) {
    int error = pinsight_program_find(wanted ? wanted : "python3", python);

    if (error == 0 && works(python))
        return true;
    if (error != 0 && wanted)
        pinsight_error("%s cannot be run: %s; --python needs the path of a Python", wanted,
                       strerror(error));
    else if (error != 0)
        pinsight_error("there is no python3 on PATH %s; name one: --python PATH", why);
    else
        pinsight_error("%s does not work as a Python %s; name another: --python PATH", python, why);
    return false;
}

int cli_with_python(const char *python, const char *why, const char *module,
                    const char *const *arguments) {
    char found[PATH_MAX], libdir[PATH_MAX];
    char *packages, *init;
    const char **words;
    size_t count = 0, word = 0;

    if (!find(python, why, found))
        return 1;
    if (pinsight_path_libdir(libdir))
        setenv("PINSIGHT_LIBDIR", libdir, 1); /* the package finds this command by it */
    packages = pinsight_format("%s/python", libdir);
    init = pinsight_format("%s/pinsight/__init__.py", packages);
    while (arguments[count])
        count++;
    words = pinsight_calloc(count + 7, sizeof(*words));
    words[word++] = found;
    words[word++] = "-B";
    words[word++] = "-c";
    words[word++] = program;
    words[word++] = access(init, R_OK) == 0 ? packages : "";
    words[word++] = module;
    memcpy(words + word, arguments, count * sizeof(*words));
    execv(found, (char *const *)words);
    pinsight_error("%s cannot be run: %s", found, strerror(errno));
    PINSIGHT_FREE(packages, init, (void *)words);
    return 1;
}

/* Checks the interpreters, and whether each can be traced. */
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/no_extension.h"
#include "base/plain.h"
#include "doctor/checks.h"
#include "doctor/pythons.h"
#include "runtimes/frozen.h"

static const char area[] = "Python";

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* Returns the name of a Python that is not CPython, from the file behind the links; NULL for
 * CPython and other programs. */
static const char *other_implementation(const char *program) {
    static const struct {
        const char *begin, *name;
    } others[] = {{"pypy", "PyPy"}, {"graalpy", "GraalPy"}};
    char real[PATH_MAX];

    if (realpath(program, real) == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
        if (strncmp(base_name(real), others[i].begin, strlen(others[i].begin)) == 0) {
            return others[i].name;
        }
    }
    return NULL;
}

/* Reports a program that preloading does not reach. Returns whether it is one. */
static bool is_unreached(struct pinsight_findings *findings, const char *program) {
    static const char fix[] =
        "run the script that it was made of with its Python; or let it call pinsight.activate() at "
        "its begin, pack the package pinsight into it, and start it with `pinsight run`";
    const char *maker = NULL;

    switch (pinsight_unreached_look(program, &maker)) {
    case PINSIGHT_FROZEN:
        pinsight_findings_add(
            findings, area, "pythons", PINSIGHT_FOUND_WARNING, fix,
            "%s was packed by %s: its Python is opened by the program itself, and "
            "is not recorded unless the program calls pinsight.activate()",
            program, maker);
        return true;
    case PINSIGHT_STATIC:
        pinsight_findings_add(findings, area, "pythons", PINSIGHT_FOUND_WARNING,
                              "use a program that is linked dynamically",
                              "%s is a static executable: nothing can be preloaded into it, and it "
                              "runs unrecorded",
                              program);
        return true;
    case PINSIGHT_SET_ID:
        pinsight_findings_add(findings, area, "pythons", PINSIGHT_FOUND_WARNING,
                              "run it as its owner, or a copy without that bit",
                              "%s runs with the rights of another user or group (set-uid): nothing "
                              "is preloaded into it, and it runs unrecorded",
                              program);
        return true;
    default:
        return false;
    }
}

/* Reports a Python that is not CPython. Returns whether the program is one. */
static bool is_other(struct pinsight_findings *findings, const char *program) {
    const char *other = other_implementation(program);

    if (other != NULL) {
        pinsight_findings_add(findings, area, "pythons", PINSIGHT_FOUND_NOTE, NULL,
                              "%s is %s, and only CPython is traced", program, other);
    }
    return other != NULL;
}

static void check_one(struct pinsight_findings *findings, const char *libdir,
                      const struct pinsight_command *python) {
    char extension[PATH_MAX], fix[2 * PATH_MAX + 128], why[1024];
    int minor = 0;

    if (is_other(findings, python->program) || is_unreached(findings, python->program)) {
        return;
    }
    if (sscanf(python->version, "3.%d", &minor) != 1) {
        pinsight_findings_add(findings, area, "pythons", PINSIGHT_FOUND_NOTE, NULL,
                              "%s does not print its version, and is left out", python->program);
        return;
    }
    if (minor < 8) {
        pinsight_findings_add(
            findings, area, "pythons", PINSIGHT_FOUND_WARNING, "use CPython 3.8 to 3.15",
            "%s is Python %s, which is too old to be traced", python->program, python->version);
        return;
    }
    int length = snprintf(extension, sizeof(extension), "%s/_pinsight_python-%s.so", libdir,
                          python->version);
    if (!python->is_debug && length < (int)sizeof(extension) && access(extension, R_OK) == 0) {
        pinsight_findings_add(findings, area, "pythons", PINSIGHT_FOUND_OK, NULL,
                              "%s: Python %s, by %s", python->program, python->version,
                              minor >= 12 ? "sys.monitoring"
                                          : "a profile function (built-ins and method "
                                            "descriptors only)");
        if (minor == 11)
            pinsight_findings_add(
                findings, area, "pending-calls", PINSIGHT_FOUND_NOTE,
                "use CPython 3.12 or later for such a program",
                "%s: with any profile function, CPython 3.11 hangs where a pending call "
                "(Py_AddPendingCall) comes within another one that runs Python",
                python->program);
        return;
    }
    bool known = pinsight_why_no_extension(libdir, python->version, why, sizeof(why));
    length = snprintf(extension, sizeof(extension), "%s/_pinsight_python-%s-plain.so", libdir,
                      python->version);
    if (length < (int)sizeof(extension) && access(extension, R_OK) == 0) {
        pinsight_findings_add(
            findings, area, "pythons", PINSIGHT_FOUND_WARNING,
            python->is_debug ? "trace the program with the usual build of this Python"
                             : "install a newer PInsight, which may know it",
            "%s: Python %s is %srecorded by public interfaces alone, without %s%s%s",
            python->program, python->version, python->is_debug ? "a debug build, and is " : "",
            PINSIGHT_PLAIN_LACKS, known ? ": " : "", why);
        return;
    }
    snprintf(fix, sizeof(fix),
             "`%s -m pip install .`, or `make build CMAKE_ARGS=-DPINSIGHT_PYTHONS=%s`, in "
             "PInsight's folder (with that Python's headers)",
             python->program, python->program);
    pinsight_findings_add(findings, area, "pythons", PINSIGHT_FOUND_WARNING, fix,
                          "%s: there is no extension for Python %s, so it runs untraced%s%s",
                          python->program, python->version, known ? ": " : "", why);
}

/* Checks a command that is not a Python, and may contain one. */
static void check_program(struct pinsight_findings *findings, char *const *words) {
    struct pinsight_command command;

    pinsight_command_look(&command, words);
    if (!command.is_python && command.program[0] && !is_other(findings, command.program) &&
        !is_unreached(findings, command.program)) {
        bool is_itself = strcmp(base_name(words[0]), base_name(command.program)) == 0;
        pinsight_findings_add(findings, area, "pythons", PINSIGHT_FOUND_NOTE, NULL,
                              "%s%s%s%s is no Python; one that it starts is recorded",
                              is_itself ? "" : words[0], is_itself ? "" : " (", command.program,
                              is_itself ? "" : ")");
    }
    pinsight_command_free(&command);
}

void pinsight_check_pythons(struct pinsight_findings *findings, const char *libdir,
                            char *const *command) {
    struct pinsight_pythons pythons;

    if (command != NULL) {
        check_program(findings, command);
    }
    pinsight_pythons_find(&pythons, command);
    for (size_t i = 0; i < pythons.count; i++) {
        check_one(findings, libdir, &pythons.items[i]);
    }
    for (size_t i = 0; i < pythons.broken_count; i++) {
        pinsight_findings_add(findings, area, "pythons", PINSIGHT_FOUND_WARNING,
                              "repair or remove it, or take its folder from PATH",
                              "%s is no Python that works: %s", pythons.broken[i].program,
                              pythons.broken[i].why);
    }
    if (pythons.count == 0 && command == NULL) {
        pinsight_findings_add(findings, area, "pythons", PINSIGHT_FOUND_WARNING,
                              "give the command that you want to trace: pinsight doctor -- COMMAND",
                              "no Python was found on PATH");
    }
    pinsight_pythons_free(&pythons);
}

/* The interpreters that are there, and whether each can be traced. */
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

static const char area[] = "Python";

/* The name of a Python that is no CPython, told from the file behind the links; NULL: no such one.
 */
static const char *other_implementation(const char *program) {
    static const struct {
        const char *begin, *name;
    } others[] = {{"pypy", "PyPy"}, {"graalpy", "GraalPy"}};
    char real[PATH_MAX];

    if (realpath(program, real) == NULL) {
        return NULL;
    }
    const char *base = strrchr(real, '/') + 1;
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
        if (strncmp(base, others[i].begin, strlen(others[i].begin)) == 0) {
            return others[i].name;
        }
    }
    return NULL;
}

static void check_one(struct pinsight_findings *findings, const char *libdir,
                      const struct pinsight_command *python) {
    char extension[PATH_MAX], fix[2 * PATH_MAX + 128], why[1024];
    const char *other = other_implementation(python->program);
    int minor = 0;

    if (other != NULL) {
        pinsight_findings_add(findings, area, "pythons", PINSIGHT_FOUND_NOTE, NULL,
                              "%s is %s, and only CPython is traced", python->program, other);
        return;
    }
    if (sscanf(python->version, "3.%d", &minor) != 1) {
        pinsight_findings_add(findings, area, "pythons", PINSIGHT_FOUND_NOTE, NULL,
                              "%s does not tell its version, and is left", python->program);
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
    if (length < (int)sizeof(extension) && access(extension, R_OK) == 0) {
        pinsight_findings_add(findings, area, "pythons", PINSIGHT_FOUND_OK, NULL,
                              "%s: Python %s, by %s", python->program, python->version,
                              minor >= 12 ? "sys.monitoring"
                                          : "a profile function (built-ins and method "
                                            "descriptors only)");
        return;
    }
    bool known = pinsight_why_no_extension(libdir, python->version, why, sizeof(why));
    length = snprintf(extension, sizeof(extension), "%s/_pinsight_python-%s-plain.so", libdir,
                      python->version);
    if (length < (int)sizeof(extension) && access(extension, R_OK) == 0) {
        pinsight_findings_add(
            findings, area, "pythons", PINSIGHT_FOUND_WARNING,
            "install a newer PInsight, which may know it",
            "%s: Python %s is recorded by public interfaces alone, without %s%s%s", python->program,
            python->version, PINSIGHT_PLAIN_LACKS, known ? ": " : "", why);
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

void pinsight_check_pythons(struct pinsight_findings *findings, const char *libdir,
                            char *const *command) {
    struct pinsight_pythons pythons;

    pinsight_pythons_find(&pythons, command);
    for (size_t i = 0; i < pythons.count; i++) {
        check_one(findings, libdir, &pythons.items[i]);
    }
    if (pythons.count == 0) {
        pinsight_findings_add(findings, area, "pythons", PINSIGHT_FOUND_WARNING,
                              "give the command that you want to trace: pinsight doctor -- COMMAND",
                              "no Python was found on PATH");
    }
    pinsight_pythons_free(&pythons);
}

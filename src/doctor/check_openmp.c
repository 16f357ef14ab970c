/* Checks OpenMP: the runtime that can be observed, and those that programs load instead. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/paths.h"
#include "doctor/checks.h"
#include "doctor/pythons.h"
#include "runtimes/objects.h"
#include "runtimes/packages.h"

enum { SEARCH_MS = 5000 };

static const char area[] = "OpenMP";
static const char install[] = "install PInsight again, with its OpenMP domain (x86-64 or AArch64)";

/* The libraries of this installation that stand before others' functions. */
struct there {
    bool gomp; /* GCC's OpenMP is observed */
    bool blas; /* calls of BLAS are observed */
};

static bool has_file(const char *libdir, const char *name) {
    char path[PATH_MAX];

    return pinsight_path_join(path, libdir, name) && access(path, R_OK) == 0;
}

static void check_runtime(struct pinsight_findings *findings, bool gomp) {
    if (gomp) {
        pinsight_findings_add(findings, area, "libgomp", PINSIGHT_FOUND_OK, NULL,
                              "GCC's libgomp is observed as it is, the system's and those of "
                              "packages");
    } else {
        pinsight_findings_add(findings, area, "libgomp", PINSIGHT_FOUND_WARNING, install,
                              "libpinsight-gomp.so is missing: GCC's libgomp is not observed");
    }
}

/* Checks OpenMP's own variables, which allow or forbid tools. */
static void check_variables(struct pinsight_findings *findings) {
    const char *tool = getenv("OMP_TOOL"), *libraries = getenv("OMP_TOOL_LIBRARIES");

    if (tool != NULL && strcasecmp(tool, "disabled") == 0) {
        pinsight_findings_add(findings, area, "variables", PINSIGHT_FOUND_WARNING, "unset OMP_TOOL",
                              "OMP_TOOL=disabled makes OpenMP's runtime take no tool");
    }
    if (libraries != NULL && *libraries != '\0' && strstr(libraries, "libpinsight") == NULL) {
        pinsight_findings_add(
            findings, area, "variables", PINSIGHT_FOUND_WARNING, "unset OMP_TOOL_LIBRARIES",
            "OMP_TOOL_LIBRARIES names another tool (%s), which keeps its place", libraries);
    }
}

/* Checks for files that libomp leaves in /dev/shm when its program crashes. Their names end in the
 * process number and the user number. */
static void check_leftovers(struct pinsight_findings *findings) {
    static const char prefix[] = "__KMP_REGISTERED_LIB_";
    DIR *folder = opendir("/dev/shm");
    unsigned left = 0;

    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        if (strncmp(entry->d_name, prefix, sizeof(prefix) - 1) == 0) {
            long pid = atol(entry->d_name + sizeof(prefix) - 1);
            left += pid > 0 && kill((pid_t)pid, 0) != 0 && errno == ESRCH;
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
    if (left > 0) {
        pinsight_findings_add(findings, area, "leftovers", PINSIGHT_FOUND_NOTE,
                              "rm /dev/shm/__KMP_REGISTERED_LIB_*, while no OpenMP program runs",
                              "%u small files of OpenMP programs that crashed are in /dev/shm",
                              left);
    }
}

static void add_found(struct pinsight_findings *findings, const char *who, struct there there,
                      const struct pinsight_object_found *found) {
    switch (found->kind) {
    case PINSIGHT_LIBGOMP:
        pinsight_findings_add(findings, area, "packages",
                              there.gomp ? PINSIGHT_FOUND_OK : PINSIGHT_FOUND_WARNING,
                              there.gomp ? NULL : install, "%s: %s is %sseen as it is", who,
                              found->path, there.gomp ? "" : "not ");
        break;
    case PINSIGHT_LIBOMP:
    case PINSIGHT_LIBIOMP:
        pinsight_findings_add(findings, area, "packages", PINSIGHT_FOUND_OK, NULL,
                              "%s: %s is seen as it is", who, found->path);
        break;
    case PINSIGHT_BLAS_PTHREAD:
        if (there.blas) {
            pinsight_findings_add(findings, area, "blas_calls", PINSIGHT_FOUND_OK, NULL,
                                  "%s: calls of %s are recorded, its own threads are not", who,
                                  found->path);
            break;
        }
        pinsight_findings_add(findings, area, "blas", PINSIGHT_FOUND_WARNING,
                              "a NumPy on an OpenMP BLAS: Debian's python3-numpy with "
                              "libopenblas0-openmp, conda's with \"libopenblas=*=*openmp*\", or "
                              "one of the site's modules",
                              "%s: %s has threads of its own (pthreads), which no OpenMP tool can "
                              "observe",
                              who, found->path);
        break;
    case PINSIGHT_BLAS_OPENMP:
        pinsight_findings_add(findings, area, "blas", PINSIGHT_FOUND_OK, NULL,
                              "%s: %s is a BLAS on OpenMP", who, found->path);
        break;
    }
}

static void check_objects(struct pinsight_findings *findings, struct there there,
                          const struct pinsight_command *command) {
    static struct pinsight_objects objects;

    memset(&objects, 0, sizeof(objects));
    objects.library_path = getenv("LD_LIBRARY_PATH");
    pinsight_objects_add(&objects, command->program);
    if (command->is_python) {
        pinsight_packages_look(&objects, command, SEARCH_MS);
    }
    for (size_t i = 0; i < objects.found_count; i++) {
        add_found(findings, command->program, there, &objects.found[i]);
    }
    if (objects.cut_short) {
        pinsight_findings_add(findings, area, "packages", PINSIGHT_FOUND_NOTE, NULL,
                              "%s has more packages than are looked at", command->program);
    }
    pinsight_objects_free(&objects);
}

void pinsight_check_openmp(struct pinsight_findings *findings, const char *libdir,
                           char *const *command) {
    struct pinsight_pythons pythons;
    struct there there = {.gomp = has_file(libdir, "libpinsight-gomp.so"),
                          .blas = has_file(libdir, "libpinsight-preload-blas.so")};

    check_runtime(findings, there.gomp);
    check_variables(findings);
    check_leftovers(findings);
    pinsight_pythons_find(&pythons, command);
    for (size_t i = 0; i < pythons.count; i++) {
        check_objects(findings, there, &pythons.items[i]);
    }
    if (command != NULL && pythons.count == 0 && pythons.items != NULL) {
        if (*pythons.items[0].program != '\0') {
            check_objects(findings, there, &pythons.items[0]);
        } else {
            pinsight_findings_add(findings, area, "packages", PINSIGHT_FOUND_NOTE, NULL,
                                  "what %s will load is not known beforehand", command[0]);
        }
    }
    pinsight_pythons_free(&pythons);
}

/* Checks MPI: the libraries on this machine, their wrappers, and the origin of mpirun. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/paths.h"
#include "base/program.h"
#include "doctor/capture.h"
#include "doctor/checks.h"
#include "runtimes/elf.h"
#include "runtimes/linker.h"

enum { VERSION_MS = 3000 };

static const char area[] = "MPI";

/* Libraries with one binary interface, for which one set of wrappers works. */
static const struct flavour {
    const char *name;
    const char *sonames[3]; /* as a program needs it; the first that is found counts */
    const char *wrappers;   /* in PInsight's folder */
    const char *package;    /* the package with its headers, on Debian */
    const char *version;    /* its name in the output of `mpirun --version` */
} flavours[] = {
    {"Open MPI",
     {"libmpi.so.40", NULL},
     "libpinsight-mpi-openmpi.so",
     "libopenmpi-dev",
     "Open MPI"},
    {"MPICH",
     {"libmpich.so.12", "libmpi.so.12", NULL},
     "libpinsight-mpi-mpich.so",
     "libmpich-dev",
     "HYDRA"},
};
enum { FLAVOURS = sizeof(flavours) / sizeof(*flavours) };

static bool has_file(const char *folder, const char *name) {
    char path[PATH_MAX];

    return pinsight_path_join(path, folder, name) && access(path, R_OK) == 0;
}

static bool find_library(const struct flavour *flavour, char path[PATH_MAX]) {
    struct pinsight_linker_paths paths = {.library_path = getenv("LD_LIBRARY_PATH")};

    for (size_t i = 0; flavour->sonames[i] != NULL; i++) {
        if (pinsight_linker_find(flavour->sonames[i], &paths, path)) {
            return true;
        }
    }
    return false;
}

static void check_library(struct pinsight_findings *findings, const char *libdir,
                          const struct flavour *flavour) {
    char path[PATH_MAX], fix[256];

    if (!find_library(flavour, path)) {
        return;
    }
    if (has_file(libdir, flavour->wrappers)) {
        pinsight_findings_add(findings, area, "libraries", PINSIGHT_FOUND_OK, NULL,
                              "%s (%s): PInsight has wrappers for it", flavour->name, path);
        return;
    }
    snprintf(fix, sizeof(fix), "build PInsight with the headers of %s (Debian: apt install %s)",
             flavour->name, flavour->package);
    /* A build without the whole domain was the choice of its builder. */
    bool has_domain = has_file(libdir, "libpinsight-preload-mpi.so");
    pinsight_findings_add(findings, area, "libraries",
                          has_domain ? PINSIGHT_FOUND_WARNING : PINSIGHT_FOUND_NOTE, fix,
                          "%s (%s): PInsight was built without wrappers for it, so its operations "
                          "are not seen",
                          flavour->name, path);
}

/* Returns the flavour of the `mpirun` on PATH; NULL if there is none, or if its flavour is
 * unknown. */
static const struct flavour *find_launcher(char path[PATH_MAX]) {
    static char text[4096];

    if (pinsight_program_find("mpirun", path) != 0) {
        return NULL;
    }
    char *const words[] = {path, (char *)"--version", NULL};
    if (pinsight_capture(words, VERSION_MS, text, sizeof(text)) != 0) {
        return NULL;
    }
    for (size_t i = 0; i < FLAVOURS; i++) {
        if (strstr(text, flavours[i].version) != NULL) {
            return &flavours[i];
        }
    }
    return NULL;
}

/* Returns the flavour of MPI that a program is linked with; NULL if it is linked with none. */
static const struct flavour *find_need(const char *program) {
    const struct flavour *found = NULL;
    char name[PINSIGHT_ELF_NAME_MAX];
    struct pinsight_elf elf;

    if (pinsight_elf_open(&elf, program) != 0) {
        return NULL;
    }
    for (size_t i = 0; i < elf.needed_count && found == NULL; i++) {
        if (!pinsight_elf_string(&elf, elf.needed[i], name, sizeof(name))) {
            continue;
        }
        for (size_t j = 0; j < FLAVOURS; j++) {
            for (size_t k = 0; flavours[j].sonames[k] != NULL; k++) {
                found = strcmp(flavours[j].sonames[k], name) == 0 ? &flavours[j] : found;
            }
        }
    }
    pinsight_elf_close(&elf);
    return found;
}

void pinsight_check_mpi(struct pinsight_findings *findings, const char *libdir,
                        char *const *command) {
    char launcher_path[PATH_MAX], program[PATH_MAX], fix[256];

    for (size_t i = 0; i < FLAVOURS; i++) {
        check_library(findings, libdir, &flavours[i]);
    }
    const struct flavour *launcher = find_launcher(launcher_path);
    if (launcher != NULL) {
        pinsight_findings_add(findings, area, "launcher", PINSIGHT_FOUND_OK, NULL, "%s is %s's",
                              launcher_path, launcher->name);
    }
    if (command == NULL || pinsight_program_find(command[0], program) != 0) {
        return;
    }
    const struct flavour *need = find_need(program);
    if (need != NULL && launcher != NULL && need != launcher) {
        snprintf(fix, sizeof(fix), "start it with the mpirun of %s, or put that first on PATH",
                 need->name);
        pinsight_findings_add(findings, area, "launcher", PINSIGHT_FOUND_WARNING, fix,
                              "%s is linked with %s, and %s is %s's: each process would be rank 0 "
                              "of a job of its own",
                              program, need->name, launcher_path, launcher->name);
    }
}

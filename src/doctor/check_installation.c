/* Checks the files of the installation, and the libraries that they need. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/lazy_library.h"
#include "base/paths.h"
#include "doctor/checks.h"
#include "runtimes/elf.h"
#include "runtimes/linker.h"
#include "session/recorder.h"

static const char area[] = "Installation";

static const struct installed_file {
    const char *name, *what;
    bool is_program;
} parts[] = {
    {"libpinsight-preload.so",
     "the library that is preloaded into a command; without it nothing is traced", false},
    {"libpinsight.so.0", "the core and the OpenMP domain", false},
    {"pinsight-introspect", "runs the scripts of introspections", true},
};

/* Writes the names of the libraries that an ELF file needs and that are not found, in one line. */
static void list_missing(const char *path, const char *libdir, char *missing, size_t room) {
    struct pinsight_elf elf;
    char name[PINSIGHT_ELF_NAME_MAX], rpath[PINSIGHT_ELF_NAME_MAX] = "", found[PATH_MAX];
    size_t used = 0;

    missing[0] = '\0';
    if (pinsight_elf_open(&elf, path) != 0) {
        snprintf(missing, room, "it is no library or program of this machine's kind");
        return;
    }
    if (!pinsight_elf_string(&elf, elf.runpath, rpath, sizeof(rpath))) {
        rpath[0] = '\0';
    }
    struct pinsight_linker_paths paths = {
        .origin = libdir, .runpath = rpath, .library_path = getenv("LD_LIBRARY_PATH")};
    for (size_t i = 0; i < elf.needed_count && used < room; i++) {
        if (pinsight_elf_string(&elf, elf.needed[i], name, sizeof(name)) &&
            !pinsight_linker_find(name, &paths, found)) {
            used += (size_t)snprintf(missing + used, room - used, "%s%.200s", used > 0 ? ", " : "",
                                     name);
        }
    }
    pinsight_elf_close(&elf);
}

static bool check_part(struct pinsight_findings *findings, const char *libdir,
                       const struct installed_file *part) {
    char path[PATH_MAX], missing[512];

    if (!pinsight_path_join(path, libdir, part->name) ||
        access(path, part->is_program ? X_OK : R_OK) != 0) {
        pinsight_findings_add(findings, area, "files", PINSIGHT_FOUND_ERROR,
                              "install PInsight again (make install, pip install .), or name the "
                              "folder of its libraries in PINSIGHT_LIBDIR",
                              "%s is not in %s, or cannot be %s (%s)", part->name, libdir,
                              part->is_program ? "executed" : "read", part->what);
        return false;
    }
    list_missing(path, libdir, missing, sizeof(missing));
    if (*missing != '\0') {
        char fix[256];
        snprintf(fix, sizeof(fix), "install %s, or name their folder in LD_LIBRARY_PATH",
                 pinsight_doctor_recorder()->libraries);
        pinsight_findings_add(findings, area, "libraries", PINSIGHT_FOUND_ERROR, fix,
                              "%s needs libraries that are not found: %s", part->name, missing);
        return false;
    }
    return true;
}

/* Checks libraries that are opened on request. */
static void check_lazy_libraries(struct pinsight_findings *findings) {
    const struct {
        struct pinsight_lazy_library *library;
        const char *lost, *package, *headers;
    } all[] = {
        {&pinsight_lazy_libdw, "libdw: native regions are shown without their source lines",
         "libdw1", "libdw-dev"},
        {&pinsight_lazy_otf2, "OTF2: there is no pinsight export --to otf2",
         "libopen-trace-format2-dev", "libopen-trace-format2-dev"},
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        const char *why =
            all[i].library != NULL ? pinsight_lazy_library_open(all[i].library) : NULL;
        char fix[128];

        if (all[i].library == NULL) {
            snprintf(fix, sizeof(fix), "apt install %s, and build PInsight again", all[i].headers);
            pinsight_findings_add(findings, area, "optional", PINSIGHT_FOUND_NOTE, fix,
                                  "built without %s", all[i].lost);
        } else if (why != NULL) {
            snprintf(fix, sizeof(fix), "apt install %s", all[i].package);
            pinsight_findings_add(findings, area, "optional", PINSIGHT_FOUND_NOTE, fix,
                                  "without %s (%s)", all[i].lost, why);
        }
    }
}

bool pinsight_check_installation(struct pinsight_findings *findings, char libdir[]) {
    bool good = true;

    if (!pinsight_path_libdir(libdir)) {
        const char *given = getenv("PINSIGHT_LIBDIR");
        pinsight_findings_add(findings, area, "libdir", PINSIGHT_FOUND_ERROR,
                              "install PInsight again, or correct PINSIGHT_LIBDIR",
                              "the folder of PInsight's libraries is not found%s%s",
                              given != NULL ? ": PINSIGHT_LIBDIR names " : "",
                              given != NULL ? given : "");
        libdir[0] = '\0';
        return false;
    }
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        good = check_part(findings, libdir, &parts[i]) && good;
    }
    if (good) {
        pinsight_findings_add(findings, area, "files", PINSIGHT_FOUND_OK, NULL,
                              "all parts are in %s, with the libraries that they need", libdir);
    }
    check_lazy_libraries(findings);
    return true;
}

/* Checks CUDA: the libcupti that programs would be recorded with. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/paths.h"
#include "doctor/checks.h"
#include "doctor/cuda/cupti.h"
#include "doctor/pythons.h"
#include "runtimes/cuda/cupti_find.h"

static const char area[] = "CUDA";

/* A search that stops like that of a process: at the first libcupti that can be opened. */
struct cupti_look {
    const struct pinsight_cuda_driver *driver;
    bool packages_only;
    struct pinsight_cupti best; /* that one, or the first that exists */
    bool any;
};

static bool has_driver(const struct pinsight_cuda_driver *driver) {
    return driver->answer.probe == PINSIGHT_PROBE_ANSWERS && driver->answer.error == 0 &&
           driver->device_count > 0;
}

/* Returns whether a libcupti belongs to a later CUDA than the driver. Versions with the same major
 * number are compatible. */
static bool is_too_new(const struct pinsight_cupti *cupti,
                       const struct pinsight_cuda_driver *driver) {
    return driver->cuda != 0 && cupti->cuda / 1000 > driver->cuda / 1000;
}

static bool is_too_old(const struct pinsight_cupti *cupti) {
    return cupti->version < PINSIGHT_CUPTI_OLDEST;
}

static bool would_do(const struct pinsight_cupti *cupti,
                     const struct pinsight_cuda_driver *driver) {
    return cupti->answer.probe == PINSIGHT_PROBE_ANSWERS && cupti->answer.error == 0 &&
           !is_too_old(cupti) && !is_too_new(cupti, driver);
}

static bool look_at(const struct pinsight_cupti_candidate *candidate, void *data) {
    struct cupti_look *look = data;
    struct pinsight_cupti cupti;

    if (look->packages_only && candidate->place != PINSIGHT_CUPTI_PACKAGE) {
        return false;
    }
    pinsight_cupti_ask(&cupti, candidate->path, has_driver(look->driver));
    bool opens = cupti.answer.probe != PINSIGHT_PROBE_ABSENT;
    if (!opens && candidate->place == PINSIGHT_CUPTI_LINKER) {
        return false; /* a file name that is not found */
    }
    if (opens || !look->any) {
        look->best = cupti;
        look->any = true;
    }
    return opens;
}

/* Returns the version as text for people. */
static const char *version_of(const struct pinsight_cupti *cupti) {
    static char text[64];

    if (cupti->cuda != 0) {
        snprintf(text, sizeof(text), "of CUDA %u.%u", cupti->cuda / 1000, cupti->cuda % 1000 / 10);
    } else {
        snprintf(text, sizeof(text), "of a version that PInsight does not know (%u)",
                 cupti->version);
    }
    return text;
}

static void report_wrong(struct pinsight_findings *findings, const char *who,
                         const struct pinsight_cupti *cupti,
                         const struct pinsight_cuda_driver *driver) {
    static const char another[] =
        "install one for this driver (pip install nvidia-cuda-cupti-cu12 for CUDA 12, "
        "nvidia-cuda-cupti for CUDA 13), or name one in PINSIGHT_CUPTI";
    if (cupti->answer.probe != PINSIGHT_PROBE_ANSWERS) {
        pinsight_findings_add(findings, area, "cupti", PINSIGHT_FOUND_WARNING, another,
                              "%s%s cannot be used: %s", who, cupti->path,
                              cupti->answer.probe == PINSIGHT_PROBE_ABSENT ? cupti->answer.why
                              : cupti->answer.probe == PINSIGHT_PROBE_HANGS
                                  ? "it does not answer"
                                  : "it crashes the process that opens it");
    } else if (is_too_new(cupti, driver)) {
        pinsight_findings_add(findings, area, "cupti", PINSIGHT_FOUND_WARNING, another,
                              "%s%s is %s, and the driver has CUDA %u.%u: it is too new", who,
                              cupti->path, version_of(cupti), driver->cuda / 1000,
                              driver->cuda % 1000 / 10);
    } else if (is_too_old(cupti)) {
        pinsight_findings_add(findings, area, "cupti", PINSIGHT_FOUND_WARNING, another,
                              "%s%s is older than CUDA 12.0: PInsight was not tried with it", who,
                              cupti->path);
    } else {
        pinsight_findings_add(findings, area, "cupti", PINSIGHT_FOUND_WARNING, another,
                              "%s%s, %s, refuses to record: %s", who, cupti->path,
                              version_of(cupti), cupti->answer.error_name);
    }
}

static void report(struct pinsight_findings *findings, const char *who,
                   const struct cupti_look *look) {
    const struct pinsight_cupti *cupti = &look->best;

    if (would_do(cupti, look->driver)) {
        pinsight_findings_add(findings, area, "cupti", PINSIGHT_FOUND_OK, NULL, "%s%s is %s%s", who,
                              cupti->path, version_of(cupti),
                              has_driver(look->driver) ? ", and records with this driver" : "");
    } else {
        report_wrong(findings, who, cupti, look->driver);
    }
}

/* Checks for PyTorch, whose profiler also uses CUPTI in the process. */
static void check_torch(struct pinsight_findings *findings, const struct pinsight_command *python) {
    char path[PATH_MAX];

    for (size_t i = 0; i < python->site_count; i++) {
        if (pinsight_path_join(path, python->sites[i], "torch/lib/libtorch_cuda.so") &&
            access(path, R_OK) == 0) {
            pinsight_findings_add(findings, area, "torch", PINSIGHT_FOUND_NOTE, NULL,
                                  "%s has PyTorch: where the program starts torch.profiler, that "
                                  "takes PInsight's place with CUPTI, which serves one at a time; "
                                  "CUDA is recorded until then",
                                  python->program);
            return;
        }
    }
}

void pinsight_check_cupti(struct pinsight_findings *findings,
                          const struct pinsight_cuda_driver *driver, char *const *command) {
    struct cupti_look common = {.driver = driver};
    const unsigned major = driver->cuda / 1000;
    struct pinsight_pythons pythons;
    char who[PATH_MAX + 4];
    bool any;

    /* Too new ones are left out at first, as in a process. */
    pinsight_cupti_each(&(struct pinsight_cupti_search){.driver_major = major}, look_at, &common);
    if (!common.any) {
        pinsight_cupti_each(&(struct pinsight_cupti_search){.driver_major = 0}, look_at, &common);
    }
    if ((any = common.any)) {
        report(findings, "", &common);
    }
    pinsight_pythons_find(&pythons, command);
    for (size_t i = 0; i < pythons.count; i++) {
        const struct pinsight_command *python = &pythons.items[i];
        struct cupti_look own = {.driver = driver, .packages_only = true};
        struct pinsight_cupti_search wanted = {.sites = (const char *const *)python->sites,
                                               .site_count = python->site_count,
                                               .driver_major = major};
        pinsight_cupti_each(&wanted, look_at, &own);
        if (!own.any) {
            wanted.driver_major = 0;
            pinsight_cupti_each(&wanted, look_at, &own);
        }
        if (own.any) {
            snprintf(who, sizeof(who), "%s: ", python->program);
            report(findings, who, &own);
        }
        check_torch(findings, python);
        any = any || own.any;
    }
    pinsight_pythons_free(&pythons);
    if (!any && has_driver(driver)) {
        pinsight_findings_add(
            findings, area, "cupti", PINSIGHT_FOUND_WARNING,
            major >= 13 ? "pip install nvidia-cuda-cupti, load the site's module of CUDA, or name "
                          "the library in PINSIGHT_CUPTI"
                        : "pip install nvidia-cuda-cupti-cu12, load the site's module of CUDA, or "
                          "name the library in PINSIGHT_CUPTI",
            "no libcupti is found: a program's CUDA is recorded only where the program brings one");
    }
}

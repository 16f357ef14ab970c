/* Checks CUDA: NVIDIA's driver and its devices, and other profilers. */
#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/paths.h"
#include "doctor/checks.h"
#include "doctor/cuda/cupti.h"

static const char area[] = "CUDA";
static const char recorder[] = "libpinsight-cuda.so";

static void check_recorder(struct pinsight_findings *findings, const char *libdir) {
    char path[PATH_MAX];

    if (pinsight_path_join(path, libdir, recorder) && access(path, R_OK) != 0) {
        pinsight_findings_add(findings, area, "files", PINSIGHT_FOUND_WARNING,
                              "install PInsight again (make install, pip install .)",
                              "%s is not in %s: CUDA is not recorded", recorder, libdir);
    }
}

/* Returns the first line of a file that contains `word`, or "". */
static const char *line_with(const char *path, const char *word) {
    static char line[512];
    FILE *file = fopen(path, "r");
    bool found = false;

    while (file != NULL && !found && fgets(line, sizeof(line), file) != NULL) {
        found = strstr(line, word) != NULL;
    }
    if (file != NULL) {
        fclose(file);
    }
    return found ? line : "";
}

/* Returns the version of the kernel's module, such as 580.65.06, or "". */
static const char *module_version(void) {
    static char version[64];
    char line[512], *rest = NULL;

    snprintf(line, sizeof(line), "%s", line_with("/proc/driver/nvidia/version", "Kernel Module"));
    for (char *word = strtok_r(line, " \n", &rest); word != NULL;
         word = strtok_r(NULL, " \n", &rest)) {
        if (isdigit((unsigned char)*word) && strspn(word, "0123456789.") == strlen(word) &&
            strchr(word, '.') != NULL) {
            snprintf(version, sizeof(version), "%s", word);
            return version;
        }
    }
    return "";
}

static bool kernel_has_driver(void) {
    return *module_version() != '\0' || access("/dev/nvidiactl", F_OK) == 0 ||
           access("/dev/dxg", F_OK) == 0;
}

static const char without_cuda[] =
    "pinsight run --domains python,openmp,mpi leaves CUDA alone meanwhile";

static void report_absent(struct pinsight_findings *findings,
                          const struct pinsight_cuda_driver *driver) {
    if (kernel_has_driver()) {
        pinsight_findings_add(
            findings, area, "driver", PINSIGHT_FOUND_WARNING,
            "start the container with its GPUs (docker run --gpus all, with "
            "NVIDIA_DRIVER_CAPABILITIES=compute,utility; podman --device nvidia.com/gpu=all; "
            "apptainer exec --nv), or name the folder of libcuda.so.1 in LD_LIBRARY_PATH",
            "the kernel has NVIDIA's driver, and programs do not find its library: %s",
            driver->answer.why);
    } else {
        pinsight_findings_add(findings, area, "driver", PINSIGHT_FOUND_NOTE, NULL,
                              "no driver of NVIDIA's is here (%s): no program can use CUDA",
                              driver->answer.why);
    }
}

/* Returns the remedy for a refusal by cuInit(). */
static const char *fix_of(int error) {
    enum { STUB = 34, NO_DEVICE = 100, NOT_READY = 802, MISMATCH = 803, COMPATIBILITY = 804 };

    switch (error) {
    case STUB:
        return "take the toolkit's folder `stubs` out of LD_LIBRARY_PATH";
    case NO_DEVICE:
        return "ask the job system or the container for a GPU; see CUDA_VISIBLE_DEVICES";
    case NOT_READY:
        return "wait for, or start, nvidia-fabricmanager";
    case MISMATCH:
        return "the driver was updated while it was in use: load its module anew, or restart";
    case COMPATIBILITY:
        return "take the package cuda-compat's libcuda out of LD_LIBRARY_PATH: it does not go "
               "with this device";
    default:
        return "see whether nvidia-smi works, and read the kernel's messages (dmesg)";
    }
}

static void report_driver(struct pinsight_findings *findings,
                          const struct pinsight_cuda_driver *driver) {
    const char *module = module_version(), *chosen = getenv("CUDA_VISIBLE_DEVICES");

    pinsight_findings_add(findings, area, "driver", PINSIGHT_FOUND_OK, NULL,
                          "NVIDIA's driver %s%shas CUDA %u.%u", module, *module != '\0' ? " " : "",
                          driver->cuda / 1000, driver->cuda % 1000 / 10);
    for (unsigned i = 0; i < driver->device_count && i < PINSIGHT_PROBE_DEVICES; i++) {
        pinsight_findings_add(findings, area, "devices", PINSIGHT_FOUND_OK, NULL, "device %u: %s",
                              i, driver->devices[i]);
    }
    if (driver->device_count > PINSIGHT_PROBE_DEVICES) {
        pinsight_findings_add(findings, area, "devices", PINSIGHT_FOUND_OK, NULL,
                              "and %u devices more", driver->device_count - PINSIGHT_PROBE_DEVICES);
    }
    if (driver->answer.error != 0 || driver->device_count == 0) {
        pinsight_findings_add(findings, area, "devices", PINSIGHT_FOUND_WARNING,
                              fix_of(driver->answer.error),
                              "the driver has no device for programs%s%s%s%s%s",
                              driver->answer.error != 0 ? ": " : "", driver->answer.error_name,
                              chosen != NULL ? " (CUDA_VISIBLE_DEVICES=" : "",
                              chosen != NULL ? chosen : "", chosen != NULL ? ")" : "");
    }
}

static void report_broken(struct pinsight_findings *findings,
                          const struct pinsight_cuda_driver *driver) {
    char fix[256];

    snprintf(fix, sizeof(fix),
             "see whether nvidia-smi works, and read the kernel's messages (dmesg); %s",
             without_cuda);
    pinsight_findings_add(findings, area, "driver", PINSIGHT_FOUND_WARNING, fix,
                          driver->answer.probe == PINSIGHT_PROBE_HANGS
                              ? "NVIDIA's driver does not answer: programs that use CUDA hang"
                              : "NVIDIA's driver crashes a process that starts it");
}

/* Checks who may use counters: administrators or all users. PInsight needs none of them. */
static void check_permission(struct pinsight_findings *findings) {
    const char *line = line_with("/proc/driver/nvidia/params", "RmProfilingAdminOnly");
    const char *colon = strchr(line, ':');

    if (colon == NULL) {
        return;
    }
    pinsight_findings_add(findings, area, "permission", PINSIGHT_FOUND_OK, NULL,
                          atoi(colon + 1) == 0
                              ? "calls and the work of devices may be recorded, by every user "
                                "(RmProfilingAdminOnly: 0)"
                              : "calls and the work of devices may be recorded, by every user; "
                                "RmProfilingAdminOnly: 1 keeps hardware counters for "
                                "administrators, and PInsight reads none");
}

/* Checks variables by which another tool is loaded into processes that use CUDA. */
static void check_variables(struct pinsight_findings *findings) {
    static const struct {
        const char *name, *lost;
    } tools[] = {
        {"CUDA_INJECTION64_PATH", "CUDA is not recorded"},
        {"NVTX_INJECTION64_PATH", "ranges of NVTX are not recorded"},
    };
    const char *session = getenv("NSYS_PROFILING_SESSION_ID"), *preload = getenv("LD_PRELOAD");
    char fix[128];

    for (size_t i = 0; i < sizeof(tools) / sizeof(*tools); i++) {
        const char *value = getenv(tools[i].name);
        const char *slash = value != NULL ? strrchr(value, '/') : NULL;
        if (value != NULL && *value != '\0' &&
            strcmp(slash != NULL ? slash + 1 : value, recorder) != 0) {
            snprintf(fix, sizeof(fix), "unset %s", tools[i].name);
            pinsight_findings_add(findings, area, "profilers", PINSIGHT_FOUND_WARNING, fix,
                                  "%s names another tool (%s), which keeps its place: %s",
                                  tools[i].name, value, tools[i].lost);
        }
    }
    if (session != NULL || (preload != NULL && strstr(preload, "libToolsInjection") != NULL)) {
        pinsight_findings_add(findings, area, "profilers", PINSIGHT_FOUND_WARNING,
                              "run either tool by itself",
                              "Nsight Systems records the programs that are started here, and "
                              "CUPTI serves one tool in a process: CUDA is not recorded");
    }
}

/* Checks for running profilers. They affect only the programs that they have started. */
static void check_processes(struct pinsight_findings *findings) {
    static const char *const names[] = {"nsys", "nsys-launcher", "ncu", "nvprof", "nsight-sys"};
    DIR *folder = opendir("/proc");
    char path[64], name[32];

    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        long pid = atol(entry->d_name);
        if (pid <= 0) {
            continue;
        }
        snprintf(path, sizeof(path), "/proc/%ld/comm", pid);
        FILE *file = fopen(path, "r");
        bool read = file != NULL && fgets(name, sizeof(name), file) != NULL;
        if (file != NULL) {
            fclose(file);
        }
        name[read ? strcspn(name, "\n") : 0] = '\0';
        for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
            if (strcmp(name, names[i]) == 0) {
                pinsight_findings_add(findings, area, "profilers", PINSIGHT_FOUND_NOTE, NULL,
                                      "%s runs (process %ld): CUDA is not recorded in programs "
                                      "that it has started, and is in all others",
                                      name, pid);
            }
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
}

void pinsight_check_cuda(struct pinsight_findings *findings, const char *libdir,
                         char *const *command) {
    struct pinsight_cuda_driver driver;

    check_recorder(findings, libdir);
    pinsight_cuda_driver_ask(&driver);
    if (driver.answer.probe == PINSIGHT_PROBE_ABSENT) {
        report_absent(findings, &driver);
    } else if (driver.answer.probe == PINSIGHT_PROBE_ANSWERS) {
        report_driver(findings, &driver);
    } else {
        report_broken(findings, &driver);
    }
    pinsight_check_cupti(findings, &driver, command);
    check_permission(findings);
    check_variables(findings);
    check_processes(findings);
}

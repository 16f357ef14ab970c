/* Queries of NVIDIA's libraries in a child process; see probe.h. */
#include "doctor/cuda/probe.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "doctor/capture.h"
#include "runtimes/cuda/cupti_find.h"

enum { DRIVER_MS = 15000, CUPTI_MS = 10000 };

/* Calls `take` for each line of a child's output: a word and a value. Changes `text`. */
static void each_line(char *text, void (*take)(const char *word, const char *value, void *data),
                      void *data) {
    char *rest = NULL;

    for (char *line = strtok_r(text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        char *space = strchr(line, ' ');
        if (space != NULL) {
            *space = '\0';
            take(line, space + 1, data);
        }
    }
}

static enum pinsight_probe probe_of(int status) {
    return status == -1          ? PINSIGHT_PROBE_HANGS
           : WIFSIGNALED(status) ? PINSIGHT_PROBE_CRASHES
                                 : PINSIGHT_PROBE_ANSWERS;
}

static void copy(char *into, size_t room, const char *text) {
    snprintf(into, room, "%s", text);
}

/* Opens a library. Unsets the variables by which the driver would load another tool into the
 * child. */
static void *open_library(FILE *out, const char *path) {
    unsetenv("CUDA_INJECTION64_PATH");
    unsetenv("NVTX_INJECTION64_PATH");
    void *library = dlopen(path, RTLD_NOW);
    if (library == NULL) {
        const char *why = dlerror();
        fprintf(out, "absent %s\n", why != NULL ? why : "");
    }
    return library;
}

static void take_answer(const char *word, const char *value, struct pinsight_probe_answer *answer) {
    if (strcmp(word, "absent") == 0) {
        answer->probe = PINSIGHT_PROBE_ABSENT;
        copy(answer->why, sizeof(answer->why), value);
    } else if (strcmp(word, "error") == 0) {
        sscanf(value, "%d %127s", &answer->error, answer->error_name);
    }
}

/* ---- the driver ---- */

static void print_error(FILE *out, void *library, int error) {
    int (*name_of)(int, const char **) = NULL;
    const char *name = NULL;

    *(void **)&name_of = dlsym(library, "cuGetErrorName");
    if (name_of == NULL || name_of(error, &name) != 0 || name == NULL) {
        name = "CUresult";
    }
    fprintf(out, "error %d %s\n", error, name);
}

static void ask_driver(FILE *out, const void *data) {
    int (*get_version)(int *) = NULL, (*init)(unsigned) = NULL, (*get_count)(int *) = NULL,
                           (*get)(int *, int) = NULL, (*get_name)(char *, int, int) = NULL;
    int version = 0, count = 0, error, device;
    char name[128];

    (void)data;
    void *library = open_library(out, "libcuda.so.1");
    if (library == NULL) {
        return;
    }
    *(void **)&get_version = dlsym(library, "cuDriverGetVersion");
    *(void **)&init = dlsym(library, "cuInit");
    *(void **)&get_count = dlsym(library, "cuDeviceGetCount");
    *(void **)&get = dlsym(library, "cuDeviceGet");
    *(void **)&get_name = dlsym(library, "cuDeviceGetName");
    if (get_version == NULL || init == NULL || get_count == NULL || get == NULL ||
        get_name == NULL) {
        fputs("absent libcuda.so.1 is no driver\n", out);
        return;
    }
    if (get_version(&version) == 0) {
        fprintf(out, "cuda %d\n", version);
    }
    error = init(0);
    error = error != 0 ? error : get_count(&count);
    if (error != 0) {
        print_error(out, library, error);
        return;
    }
    fprintf(out, "count %d\n", count);
    for (int i = 0; i < count && i < PINSIGHT_PROBE_DEVICES; i++) {
        bool has_name = get(&device, i) == 0 && get_name(name, sizeof(name), device) == 0;
        fprintf(out, "device %s\n", has_name ? name : "without a name");
    }
}

static void take_driver(const char *word, const char *value, void *data) {
    struct pinsight_cuda_driver *driver = data;

    take_answer(word, value, &driver->answer);
    if (strcmp(word, "cuda") == 0) {
        driver->cuda = (unsigned)atoi(value);
    } else if (strcmp(word, "count") == 0) {
        driver->device_count = (unsigned)atoi(value);
    } else if (strcmp(word, "device") == 0) {
        for (size_t i = 0; i < PINSIGHT_PROBE_DEVICES; i++) {
            if (driver->devices[i][0] == '\0') {
                copy(driver->devices[i], sizeof(driver->devices[i]), value);
                break;
            }
        }
    }
}

void pinsight_cuda_driver_ask(struct pinsight_cuda_driver *driver) {
    static char text[8192];

    memset(driver, 0, sizeof(*driver));
    driver->answer.probe =
        probe_of(pinsight_capture_call(ask_driver, NULL, DRIVER_MS, text, sizeof(text)));
    each_line(text, take_driver, driver);
}

/* ---- libcupti ---- */

struct cupti_question {
    const char *path;
    bool has_driver;
};

typedef void cupti_callback(void *data, int domain, uint32_t id, const void *info);

static void ignore(void *data, int domain, uint32_t id, const void *info) {
    (void)data, (void)domain, (void)id, (void)info;
}

/* Tries PInsight's first steps in a process: it subscribes, and enables the records of kernels. */
static void try_to_record(FILE *out, void *library) {
    enum { KIND_CONCURRENT_KERNEL = 10 };
    int (*subscribe)(void **, cupti_callback *, void *) = NULL, (*enable)(int) = NULL,
                                                     (*name_of)(int, const char **) = NULL;
    const char *name = NULL;
    void *subscriber;

    *(void **)&subscribe = dlsym(library, "cuptiSubscribe");
    *(void **)&enable = dlsym(library, "cuptiActivityEnable");
    *(void **)&name_of = dlsym(library, "cuptiGetResultString");
    if (subscribe == NULL || enable == NULL) {
        return;
    }
    int error = subscribe(&subscriber, ignore, NULL);
    error = error != 0 ? error : enable(KIND_CONCURRENT_KERNEL);
    if (error != 0) {
        bool has_name = name_of != NULL && name_of(error, &name) == 0 && name != NULL;
        fprintf(out, "error %d %s\n", error, has_name ? name : "CUptiResult");
    }
}

static void ask_cupti(FILE *out, const void *data) {
    const struct cupti_question *question = data;
    int (*get_version)(uint32_t *) = NULL;
    struct link_map *map = NULL;
    uint32_t version = 0;

    void *library = open_library(out, question->path);
    if (library == NULL) {
        return;
    }
    *(void **)&get_version = dlsym(library, "cuptiGetVersion");
    if (get_version == NULL) {
        fputs("absent it has no cuptiGetVersion()\n", out);
        return;
    }
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0) {
        fprintf(out, "path %s\n", map->l_name);
    }
    if (get_version(&version) == 0) {
        fprintf(out, "version %u\n", version);
    }
    if (question->has_driver) {
        try_to_record(out, library);
    }
}

static void take_cupti(const char *word, const char *value, void *data) {
    struct pinsight_cupti *cupti = data;

    take_answer(word, value, &cupti->answer);
    if (strcmp(word, "path") == 0) {
        copy(cupti->path, sizeof(cupti->path), value);
    } else if (strcmp(word, "version") == 0) {
        cupti->version = (unsigned)strtoul(value, NULL, 10);
        cupti->cuda = pinsight_cupti_cuda(cupti->version);
    }
}

void pinsight_cupti_ask(struct pinsight_cupti *cupti, const char *path, bool has_driver) {
    const struct cupti_question question = {path, has_driver};
    static char text[8192];

    memset(cupti, 0, sizeof(*cupti));
    copy(cupti->path, sizeof(cupti->path), path);
    cupti->answer.probe =
        probe_of(pinsight_capture_call(ask_cupti, &question, CUPTI_MS, text, sizeof(text)));
    each_line(text, take_cupti, cupti);
}

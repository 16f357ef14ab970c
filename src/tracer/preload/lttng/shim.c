/*
 * LTTng-UST as the shim's recorder; see tracer/record/recorder.h.
 *
 * LTTng's consumer daemon writes the trace of a process into a folder NAME-PID-YYYYMMDD-HHMMSS. The
 * time is that of the registration. The daemon overwrites an existing folder. A process that
 * executes its own program again within a second would lose its earlier trace. Then LTTng-UST is
 * opened under another name: its threads inherit the name of the thread that starts them.
 */
#include "tracer/preload/preload.h"

#include "format/choice.h"
#include "tracer/record/recorder.h"

#include <dirent.h>
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { NAME_SIZE = 16 /* prctl(2), PR_SET_NAME */ };

/* Returns the number of folders in the run for this process number, which earlier programs of the
 * process made. */
static unsigned traces_of_this(void) {
    const char *output = secure_getenv("PINSIGHT_OUTPUT");
    char path[4096], part[32];
    unsigned count = 0;
    if (!output || snprintf(path, sizeof(path), "%s/ust/pid", output) >= (int)sizeof(path)) {
        return 0;
    }
    snprintf(part, sizeof(part), "-%d-", (int)getpid());
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        count += strstr(entry->d_name, part) != NULL;
    }
    if (folder) {
        closedir(folder);
    }
    return count;
}

/* Opens the libpinsight that is linked with LTTng-UST. Libraries that are opened later use it,
 * because it has the same name (ld.so(8), DT_SONAME). */
static void *open_renamed(const char *path) {
    char kept[NAME_SIZE] = "", other[NAME_SIZE + 16];
    unsigned before = traces_of_this();
    if (before > 0 && prctl(PR_GET_NAME, kept) == 0) {
        snprintf(other, sizeof(other), ".%u", before);
        size_t room = NAME_SIZE - 1 - strlen(other);
        snprintf(other, sizeof(other), "%.*s.%u", (int)room, kept, before);
        prctl(PR_SET_NAME, other);
    }
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (*kept) {
        prctl(PR_SET_NAME, kept);
    }
    return library;
}

static void *open_recorder(const char *libdir) {
    char path[4096];
    bool is_lttng = pinsight_recorder_is("lttng");
    if (snprintf(path, sizeof(path), "%s/%slibpinsight.so.0", libdir, is_lttng ? "lttng/" : "") >=
        (int)sizeof(path)) {
        return NULL;
    }
    return is_lttng ? open_renamed(path) : dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

/* Opens another library of LTTng-UST in the folder of the one that the domain is linked with. The
 * dynamic linker may not search that folder by itself. */
static void *open_adjacent_ust(const char *name) {
    void *ust = dlopen("liblttng-ust.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (!ust) {
        return NULL;
    }
    void *library = NULL;
    struct link_map *map;
    char path[4096];
    if (dlinfo(ust, RTLD_DI_LINKMAP, &map) == 0) {
        const char *slash = strrchr(map->l_name, '/');
        int folder = slash ? (int)(slash - map->l_name) : 0;
        if (slash && snprintf(path, sizeof(path), "%.*s/%s", folder, map->l_name, name) <
                         (int)sizeof(path)) {
            library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        }
    }
    dlclose(ust);
    return library;
}

static void *open_ust(const char *name) {
    void *library = open_adjacent_ust(name);
    return library ? library : dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

/* Opens the libraries of LTTng-UST that guard forks and descriptors: lttng-ust(3), "Using LTTng-UST
 * with daemons" and "Closing of file descriptors". The functions around a fork are those of
 * lttng/ust-fork.h. */
static bool guard(struct pinsight_recorder_guards *guards) {
    if (!pinsight_recorder_is("lttng")) {
        return true; /* the file recorder needs none */
    }
    guards->fds = open_ust("liblttng-ust-fd.so.1");
    guards->forks = guards->fds ? open_ust("liblttng-ust-fork.so.1") : NULL;
    if (!guards->forks) {
        /* One of the two alone does harm: a child would listen, and its program would close the
         * sockets. */
        pinsight_message_once(
            "no-ust-fork",
            "cannot load LTTng-UST's support for forks, children that fork without "
            "exec are not traced: %s; install LTTng-UST again",
            dlerror());
        return false;
    }
    guards->before_fork = dlsym(guards->forks, "lttng_ust_before_fork");
    guards->after_fork_parent = dlsym(guards->forks, "lttng_ust_after_fork_parent");
    guards->after_fork_child = dlsym(guards->forks, "lttng_ust_after_fork_child");
    return true;
}

/* Returns whether a thread is one of LTTng-UST's, which have the process's name with "-ust" at the
 * end. */
static bool owns_thread(const char *name) {
    size_t length = strlen(name);
    return length > 5 && strcmp(name + length - 5, "-ust\n") == 0;
}

const struct pinsight_recorder_shim pinsight_recorder_shim = {
    .open = open_recorder,
    .guard = guard,
    .owns_thread = owns_thread,
    .package = "LTTng-UST",
    .is_installed = "is LTTng-UST installed (Debian: apt install liblttng-ust1)?",
};

/*
 * LTTng-UST as the shim's recorder; see record/recorder.h.
 *
 * LTTng's consumer daemon keeps what a process records in a folder NAME-PID-YYYYMMDD-HHMMSS, with
 * the process's name and the second in which it registered, and overwrites what is there. A process
 * that executes its own program again within a second would lose all that it recorded before. So
 * LTTng-UST, whose threads take over the name of the thread that starts them, is opened under
 * another name there.
 */
#include "preload/preload.h"

#include "record/choice.h"
#include "record/recorder.h"

#include <dirent.h>
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { NAME_SIZE = 16 /* prctl(2), PR_SET_NAME */ };

/* How many folders of this process number the run has: of what it executed before. */
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

/* The libpinsight that brings LTTng-UST along; libraries that are opened later are linked to it, as
 * it has the same name (ld.so(8), DT_SONAME). */
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

/* LTTng-UST may lie where the dynamic linker does not look by itself: its other libraries are
 * beside the one that the domain brought in. */
static void *open_beside_ust(const char *name) {
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
    void *library = open_beside_ust(name);
    return library ? library : dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

/* lttng-ust(3), "Using LTTng-UST with daemons" and "Closing of file descriptors"; the functions
 * around a fork are those of lttng/ust-fork.h. */
static bool guard(struct pinsight_recorder_guards *guards) {
    if (!pinsight_recorder_is("lttng")) {
        return true; /* the file recorder needs none */
    }
    guards->fds = open_ust("liblttng-ust-fd.so.1");
    guards->forks = guards->fds ? open_ust("liblttng-ust-fork.so.1") : NULL;
    if (!guards->forks) {
        /* Either alone does harm: a child that listens, and whose sockets its program closes. */
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

/* LTTng-UST names its threads after the process, with "-ust". */
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

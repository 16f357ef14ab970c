/*
 * What changes in a process once LTTng-UST is in it.
 */
#include "preload.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

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

int pinsight_preload_opened(void) {
    static atomic_bool opened;
    if (atomic_exchange(&opened, true)) {
        return 0;
    }
    void *fds = open_ust("liblttng-ust-fd.so.1");
    void *forks = fds ? open_ust("liblttng-ust-fork.so.1") : NULL;
    if (!forks) {
        /* Either alone does harm: a child that listens, and whose sockets its program closes. */
        pinsight_say_once("no-ust-fork",
                          "cannot load LTTng-UST's support for forks, children that fork without "
                          "exec are not traced: %s; install LTTng-UST again",
                          dlerror());
        return -1;
    }
    pinsight_leader_ready();
    pinsight_fds_lead_into(fds);
    pinsight_forks_lead_into(forks);
    return 0;
}

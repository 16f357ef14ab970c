/* Loaded objects of the process; see loaded.h. */
#include "tracer/preload/loaded.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct names {
    const char *part;
    size_t count;
    char *at[2048];
};

struct link_map *pinsight_loaded_at(const void *address) {
    Dl_info info;
    struct link_map *map = NULL;
    return address && dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) ? map : NULL;
}

void *pinsight_loaded_open(const struct link_map *map) {
    return map ? dlopen(*map->l_name ? map->l_name : NULL, RTLD_LAZY | RTLD_NOLOAD) : NULL;
}

static int note_name(struct dl_phdr_info *info, size_t size, void *data) {
    struct names *names = data;
    (void)size;
    if (info->dlpi_name && *info->dlpi_name && strstr(info->dlpi_name, names->part) &&
        names->count < sizeof(names->at) / sizeof(*names->at)) {
        char *name = strdup(info->dlpi_name);
        if (name)
            names->at[names->count++] = name;
    }
    return 0;
}

/* The names are noted first: objects cannot be opened while dl_iterate_phdr() visits them. */
void *pinsight_loaded_find(const char *part, void *(*look)(void *object)) {
    struct names *names = calloc(1, sizeof(*names));
    void *found = NULL;
    if (!names)
        return NULL;
    names->part = part;
    dl_iterate_phdr(note_name, names);
    for (size_t i = 0; i < names->count; i++) {
        void *object = found ? NULL : dlopen(names->at[i], RTLD_LAZY | RTLD_NOLOAD);
        found = object ? look(object) : found;
        if (object)
            dlclose(object);
        free(names->at[i]);
    }
    free(names);
    return found;
}

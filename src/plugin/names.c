/* Names by number; see names.h. */
#include "plugin/names.h"

#include "base/memory.h"

void pinsight_names_thread(struct pinsight_names *names, uint32_t tid, uint32_t pid) {
    pinsight_map_set(&names->processes, tid, 0, 0, pid);
}

void pinsight_names_define(struct pinsight_names *names, enum pinsight_named kind, uint32_t pid,
                           uint32_t number, const struct pinsight_name *name) {
    struct pinsight_name *own;

    if (pinsight_map_get(&names->numbers, pid, number, kind) != PINSIGHT_MAP_NONE)
        return;
    names->all = pinsight_grow(names->all, names->count, &names->capacity, sizeof(*names->all));
    own = &names->all[names->count];
    own->name = pinsight_strdup(name->name);
    own->filename = pinsight_strdup(name->filename);
    own->lineno = name->lineno;
    pinsight_map_set(&names->numbers, pid, number, kind, (uint32_t)names->count++);
}

int64_t pinsight_names_process(const struct pinsight_names *names, uint32_t tid) {
    uint32_t process = pinsight_map_get(&names->processes, tid, 0, 0);

    return process == PINSIGHT_MAP_NONE ? -1 : (int64_t)process;
}

struct pinsight_name pinsight_names_find(const struct pinsight_names *names,
                                         enum pinsight_named kind, int64_t pid, uint32_t number) {
    static char none[] = "";
    uint32_t place = pid < 0 ? PINSIGHT_MAP_NONE
                             : pinsight_map_get(&names->numbers, (uint32_t)pid, number, kind);

    if (place == PINSIGHT_MAP_NONE)
        return (struct pinsight_name){.name = none, .filename = none};
    return names->all[place];
}

void pinsight_names_clear(struct pinsight_names *names) {
    for (size_t i = 0; i < names->count; i++) {
        free(names->all[i].name);
        free(names->all[i].filename);
    }
    free(names->all);
    pinsight_map_clear(&names->processes);
    pinsight_map_clear(&names->numbers);
    *names = (struct pinsight_names){0};
}

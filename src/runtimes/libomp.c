/* What a file is good for as LLVM's OpenMP runtime in place of GCC's. */
#include "runtimes/libomp.h"

#include <stdio.h>
#include <string.h>

#include "runtimes/elf.h"

/*
 * libgomp's entry points for what GCC cannot do by itself in worksharing: reductions of tasks,
 * reduction(inscan) and lastprivate(conditional). The latter two hand memory over, and libomp ends
 * the process then ("libgomp compatibility layer does not support OpenMP feature: scan").
 */
static const char *const may_abort[] = {
    "GOMP_loop_start",      "GOMP_loop_ordered_start",     "GOMP_loop_doacross_start",
    "GOMP_loop_ull_start",  "GOMP_loop_ull_ordered_start", "GOMP_loop_ull_doacross_start",
    "GOMP_sections2_start",
};

static bool is_one_of(const char *name, const char *const *list, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* All that the program takes from libgomp has to come from libomp, or it has half of each. */
static enum pinsight_libomp_answer check_needs(struct pinsight_libomp *libomp,
                                               struct pinsight_elf *elf,
                                               const struct pinsight_objects *objects) {
    enum pinsight_libomp_answer answer = PINSIGHT_LIBOMP_GOOD;

    for (size_t i = 0; i < objects->gomp_need_count && answer != PINSIGHT_LIBOMP_LACKS_ONE; i++) {
        const struct pinsight_gomp_need *need = &objects->gomp_needs[i];
        if (!pinsight_elf_serves(elf, need->name, need->version)) {
            answer = PINSIGHT_LIBOMP_LACKS_ONE;
        } else if (is_one_of(need->name, may_abort, sizeof(may_abort) / sizeof(*may_abort))) {
            answer = PINSIGHT_LIBOMP_MAY_ABORT;
        } else {
            continue;
        }
        snprintf(libomp->lacks, sizeof(libomp->lacks), "%s%s%s", need->name,
                 *need->version != '\0' ? "@" : "", need->version);
    }
    return answer;
}

enum pinsight_libomp_answer pinsight_libomp_check(struct pinsight_libomp *libomp,
                                                  const struct pinsight_objects *objects) {
    struct pinsight_elf elf;
    enum pinsight_libomp_answer answer = PINSIGHT_LIBOMP_GOOD;

    if (pinsight_elf_open(&elf, libomp->path) != 0) {
        return PINSIGHT_LIBOMP_NONE;
    }
    /* OMPT is there where the runtime offers the function that a tool replaces. */
    if (!pinsight_elf_defines(&elf, "__kmpc_fork_call")) {
        answer = PINSIGHT_LIBOMP_NONE;
    } else if (!pinsight_elf_defines(&elf, "ompt_start_tool")) {
        answer = PINSIGHT_LIBOMP_NO_OMPT;
    } else if (!pinsight_elf_defines(&elf, "GOMP_parallel")) {
        answer = PINSIGHT_LIBOMP_NO_GOMP;
    }
    if (answer == PINSIGHT_LIBOMP_GOOD && objects != NULL) {
        answer = check_needs(libomp, &elf, objects);
    }
    pinsight_elf_close(&elf);
    return answer;
}

bool pinsight_libomp_wants_name(const char *path) {
    return pinsight_elf_file_has(path, pinsight_elf_binds, "ompt_start_tool");
}

/* Reuse of lexgions; see lexgion_reuse.h. */
#include "tracer/python/lexgion_reuse.h"

#include "tracer/python/domain.h"
#include "tracer/python/versions.h"

#include <stdlib.h>
#include <string.h>

#define KEPT 1024u /* a power of 2 */

static struct pinsight_python_lexgion *all[KEPT]; /* by hash; some NULL */

static uint32_t hash_of(uint32_t hash, const char *text) {
    while (*text)
        hash = (hash ^ (unsigned char)*text++) * 16777619u; /* FNV-1a */
    return hash;
}

static struct pinsight_python_lexgion **place_of(const char *name, const char *filename,
                                                 const char *module, int32_t lineno) {
    uint32_t hash = hash_of(hash_of(hash_of(2166136261u, name), filename), module);
    hash = (hash ^ (uint32_t)lineno) * 16777619u;
    return &all[(hash ^ hash >> 16) & (KEPT - 1)];
}

bool pinsight_lexgion_reuse_keep(struct pinsight_python_lexgion *lexgion) {
    if (lexgion->state.in_flight || lexgion->state.window || lexgion->state.dead ||
        pinsight_frames_any(lexgion->paused) || !pinsight_in_main_interpreter())
        return false;
    struct pinsight_python_lexgion **place =
        place_of(lexgion->name, lexgion->filename, lexgion->module, lexgion->lineno);
    struct pinsight_python_lexgion *before = *place;
    *place = lexgion;
    if (before)
        pinsight_lexgion_retire(&pinsight_python.engine, &before->state);
    return true;
}

struct pinsight_python_lexgion *pinsight_lexgion_reuse_take(const char *name, const char *filename,
                                                            const char *module, int32_t lineno) {
    if (!name || !filename || !module || !pinsight_in_main_interpreter())
        return NULL;
    struct pinsight_python_lexgion **place = place_of(name, filename, module, lineno);
    struct pinsight_python_lexgion *found = *place;
    if (!found || found->lineno != lineno || strcmp(found->name, name) != 0 ||
        strcmp(found->filename, filename) != 0 || strcmp(found->module, module) != 0)
        return NULL;
    *place = NULL;
    free(found->lines);
    found->lines = NULL;
    found->line_count = 0;
    return found;
}

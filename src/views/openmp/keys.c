/* Numbers the keys of rows; see keys.h. */
#include "views/openmp/keys.h"

#include "reader/kit/native.h"
#include "reader/kit/paths.h"

#include <stdlib.h>

uint32_t pinsight_omp_key(struct pinsight_map *map, uint32_t a, uint32_t b, uint32_t c,
                          uint32_t *count) {
    uint32_t number = pinsight_map_number(map, a, b, c, (*count));

    (*count) += number == (*count);
    return number;
}

void pinsight_omp_keys_clear(struct pinsight_omp_keys *keys) {
    PINSIGHT_MAPS_CLEAR(&keys->functions, &keys->paths, &keys->natives);
}

uint32_t pinsight_omp_function_key(struct pinsight_omp_keys *keys, uint32_t function) {
    const struct pinsight_function *entry;

    if (function == PINSIGHT_NONE)
        return PINSIGHT_NONE;
    entry = &keys->model->functions[function];
    return pinsight_omp_key(&keys->functions, entry->name, entry->file, (uint32_t)entry->line,
                            &keys->function_count);
}

uint32_t pinsight_omp_path_key(struct pinsight_omp_keys *keys, uint32_t path) {
    size_t count;
    uint32_t *frames = pinsight_path_frames(keys->model, path, &count);
    uint32_t key = PINSIGHT_NONE;

    for (size_t i = 0; i < count; i++) {
        const struct pinsight_path *frame = &keys->model->paths[frames[i]];

        key = pinsight_omp_key(&keys->paths, key, pinsight_omp_function_key(keys, frame->function),
                               (uint32_t)frame->line, &keys->path_count);
    }
    free(frames);
    return key;
}

uint32_t pinsight_omp_native_key(struct pinsight_omp_keys *keys, uint32_t native) {
    const struct pinsight_native_place *entry;

    if (native == PINSIGHT_NONE)
        return PINSIGHT_NONE;
    entry = &keys->model->natives[native];
    if (!entry->known || !entry->object)
        return pinsight_omp_key(&keys->natives, PINSIGHT_NONE, native, 0, &keys->native_count);
    return pinsight_omp_key(&keys->natives, entry->object, (uint32_t)entry->offset,
                            (uint32_t)(entry->offset >> 32), &keys->native_count);
}

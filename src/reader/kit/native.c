/* Addresses of native code, and their objects. */
#include "reader/kit/native.h"

#include "base/memory.h"

#include <string.h>

static uint32_t new_native(struct pinsight_model *model, uint64_t address) {
    model->natives = pinsight_grow(model->natives, model->native_count, &model->native_capacity,
                                   sizeof(*model->natives));
    model->natives[model->native_count] = (struct pinsight_native_place){.address = address};
    return (uint32_t)model->native_count++;
}

uint32_t pinsight_native_at(struct pinsight_process *process, uint64_t address) {
    uint32_t native = pinsight_map_get64(&process->addresses, address);

    if (native == PINSIGHT_MAP_NONE) {
        native = new_native(process->model, address);
        pinsight_map_set64(&process->addresses, address, native);
    }
    return native;
}

uint32_t pinsight_native_numbered(const struct pinsight_process *process,
                                  enum reader_domain_number domain, uint32_t number) {
    uint32_t native = pinsight_map_get(&process->native_numbers, number, domain, 0);

    return native == PINSIGHT_MAP_NONE ? PINSIGHT_NONE : native;
}

/* Returns the known place at an offset of an object, or PINSIGHT_MAP_NONE. Places without an object
 * are never equal. */
static uint32_t find_known(const struct pinsight_model *model, uint32_t object, uint64_t offset) {
    if (!object)
        return PINSIGHT_MAP_NONE;
    return pinsight_map_get(&model->native_map, object, (uint32_t)offset, (uint32_t)(offset >> 32));
}

void pinsight_native_info(struct pinsight_process *process, enum reader_domain_number domain,
                          uint32_t number, uint64_t address, const char *object, uint64_t offset,
                          const char *symbol) {
    struct pinsight_model *model = process->model;
    uint32_t object_name = pinsight_strings_add(&model->strings, object, strlen(object));
    uint32_t native = find_known(model, object_name, offset);

    uint32_t there = pinsight_map_get64(&process->addresses, address);
    struct pinsight_native_place named = {
        .object = object_name, .offset = offset, .address = address, .known = true};

    named.symbol = pinsight_strings_add(&model->strings, symbol, strlen(symbol));
    /* A place without a name gets it. The address is another place if its object was unloaded, and
     * another object was loaded there. */
    if (there != PINSIGHT_MAP_NONE && !model->natives[there].known)
        model->natives[there] = named;
    if (native == PINSIGHT_MAP_NONE) {
        native = there;
        if (there == PINSIGHT_MAP_NONE || model->natives[there].object != object_name ||
            model->natives[there].offset != offset)
            native = new_native(model, address);
        model->natives[native] = named;
        if (object_name)
            pinsight_map_set(&model->native_map, object_name, (uint32_t)offset,
                             (uint32_t)(offset >> 32), native);
    }
    pinsight_map_set64(&process->addresses, address, native);
    if (number)
        pinsight_map_set(&process->native_numbers, number, domain, 0, native);
}

/* Bindings; see bind.h. */
#include "reader/ctf/bind.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* A hash table of the known events by their names. */
#define SLOTS (4 * PINSIGHT_EVENT_COUNT)

static uint32_t hash_of(const char *name, size_t length) {
    uint32_t hash = 2166136261u;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    return hash;
}

static enum pinsight_event_id find_event(const char *name, size_t length) {
    static uint16_t slots[SLOTS];
    uint32_t at;

    if (!slots[hash_of(pinsight_event_descs[1].full_name,
                       strlen(pinsight_event_descs[1].full_name)) %
               SLOTS])
        for (int id = 1; id < PINSIGHT_EVENT_COUNT; id++) {
            const char *known = pinsight_event_descs[id].full_name;

            at = hash_of(known, strlen(known)) % SLOTS;
            while (slots[at])
                at = (at + 1) % SLOTS;
            slots[at] = (uint16_t)id;
        }
    for (at = hash_of(name, length) % SLOTS; slots[at]; at = (at + 1) % SLOTS) {
        const char *known = pinsight_event_descs[slots[at]].full_name;

        if (strlen(known) == length && memcmp(known, name, length) == 0)
            return slots[at];
    }
    return PINSIGHT_EVENT_UNKNOWN;
}

struct pinsight_binding *pinsight_binding_new(struct pinsight_bindings *bindings, const char *name,
                                              size_t name_length, const char *host,
                                              size_t host_length) {
    struct pinsight_binding *binding = pinsight_calloc(1, sizeof(*binding));

    binding->number = (uint32_t)bindings->count;
    binding->id = find_event(name, name_length);
    binding->domain = reader_domain_of(binding->id);
    if (binding->id != PINSIGHT_EVENT_UNKNOWN)
        binding->definition = !strcmp(pinsight_event_descs[binding->id].channel, "definitions");
    binding->host = pinsight_strings_add(&bindings->hosts, host, host_length);
    binding->hosts = &bindings->hosts;
    binding->trace_vpid = -1;
    *PINSIGHT_ADD(bindings->items, bindings->count, bindings->capacity) = binding;
    return binding;
}

void pinsight_bindings_clear(struct pinsight_bindings *bindings) {
    for (size_t i = 0; i < bindings->count; i++)
        free(bindings->items[i]);
    free(bindings->items);
    pinsight_strings_clear(&bindings->hosts);
    *bindings = (struct pinsight_bindings){0};
}

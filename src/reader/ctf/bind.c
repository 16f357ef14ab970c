/* Binding of event classes: everything that needs a name is done here. */
#include "reader/ctf/bind.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* The place of a member of a structure, by name, and what kind of value it has. */
static struct pinsight_slot find_member(const bt_field_class *structure, const char *name) {
    struct pinsight_slot none = {.index = -1};
    uint64_t count;

    if (!structure || bt_field_class_get_type(structure) != BT_FIELD_CLASS_TYPE_STRUCTURE)
        return none;
    count = bt_field_class_structure_get_member_count(structure);
    for (uint64_t i = 0; i < count && i < INT16_MAX; i++) {
        const bt_field_class_structure_member *member =
            bt_field_class_structure_borrow_member_by_index_const(structure, i);
        bt_field_class_type type;
        struct pinsight_slot slot = {.index = (int16_t)i};

        if (strcmp(bt_field_class_structure_member_get_name(member), name) != 0)
            continue;
        type = bt_field_class_get_type(
            bt_field_class_structure_member_borrow_field_class_const(member));
        if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER))
            slot.kind = PINSIGHT_FIELD_UNSIGNED;
        else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER))
            slot.kind = PINSIGHT_FIELD_SIGNED;
        else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_STRING))
            slot.kind = PINSIGHT_FIELD_STRING;
        else
            return none;
        return slot;
    }
    return none;
}

static struct pinsight_context_slot find_context(const bt_event_class *event_class,
                                                 const char *name) {
    struct pinsight_context_slot found = {PINSIGHT_NOWHERE, {.index = -1}};
    const bt_stream_class *stream_class = bt_event_class_borrow_stream_class_const(event_class);

    found.slot = find_member(
        bt_stream_class_borrow_event_common_context_field_class_const(stream_class), name);
    if (found.slot.index >= 0 && found.slot.kind != PINSIGHT_FIELD_STRING) {
        found.scope = PINSIGHT_COMMON_CONTEXT;
        return found;
    }
    found.slot =
        find_member(bt_event_class_borrow_specific_context_field_class_const(event_class), name);
    if (found.slot.index >= 0 && found.slot.kind != PINSIGHT_FIELD_STRING)
        found.scope = PINSIGHT_SPECIFIC_CONTEXT;
    return found;
}

/* What the trace says about where it was recorded. */
static void read_environment(struct pinsight_bindings *bindings, struct pinsight_binding *binding,
                             const bt_trace *trace) {
    const bt_value *value =
        bt_trace_borrow_environment_entry_value_by_name_const(trace, "hostname");
    const char *host = "";

    if (value && bt_value_is_string(value))
        host = bt_value_string_get(value);
    binding->host = pinsight_strings_add(&bindings->hosts, host, strlen(host));
    binding->trace_vpid = -1;
    value = bt_trace_borrow_environment_entry_value_by_name_const(trace, "vpid");
    if (value && bt_value_is_signed_integer(value))
        binding->trace_vpid = bt_value_integer_signed_get(value);
}

static struct pinsight_binding *make(struct pinsight_bindings *bindings, const bt_event *event,
                                     const bt_event_class *event_class) {
    struct pinsight_binding *binding = pinsight_calloc(1, sizeof(*binding));
    const char *name = bt_event_class_get_name(event_class);
    const bt_field_class *payload = bt_event_class_borrow_payload_field_class_const(event_class);
    const bt_stream_class *stream_class = bt_event_class_borrow_stream_class_const(event_class);

    bt_event_class_get_ref(event_class);
    binding->event_class = event_class;
    binding->clock = bt_stream_class_borrow_default_clock_class_const(stream_class);
    binding->has_clock = binding->clock != NULL;
    for (int id = 1; name && id < PINSIGHT_EVENT_COUNT; id++)
        if (!strcmp(pinsight_event_descs[id].full_name, name))
            binding->id = id;
    binding->domain = reader_domain_of(binding->id);
    for (size_t i = 0; i < PINSIGHT_EVENT_MAX_FIELDS; i++)
        binding->fields[i].index = -1;
    for (size_t i = 0; i < pinsight_event_descs[binding->id].field_count; i++)
        binding->fields[i] = find_member(payload, pinsight_event_descs[binding->id].fields[i].name);
    if (binding->id != PINSIGHT_EVENT_UNKNOWN)
        binding->definition = !strcmp(pinsight_event_descs[binding->id].channel, "definitions");
    binding->vpid = find_context(event_class, "vpid");
    binding->vtid = find_context(event_class, "vtid");
    read_environment(bindings, binding,
                     bt_stream_borrow_trace_const(bt_event_borrow_stream_const(event)));
    *PINSIGHT_ADD(bindings->items, bindings->count, bindings->capacity) = binding;
    return binding;
}

const struct pinsight_binding *pinsight_bind(struct pinsight_bindings *bindings,
                                             const bt_event *event) {
    const bt_event_class *event_class = bt_event_borrow_class_const(event);
    struct pinsight_binding *binding = NULL;

    for (size_t i = 0; i < bindings->count && !binding; i++)
        if (bindings->items[i]->event_class == event_class)
            binding = bindings->items[i];
    if (!binding)
        binding = make(bindings, event, event_class);
    bindings->cache[((uintptr_t)event_class >> 4 ^ (uintptr_t)event_class >> 10) & 63] = binding;
    return binding;
}

void pinsight_bindings_clear(struct pinsight_bindings *bindings) {
    for (size_t i = 0; i < bindings->count; i++) {
        bt_event_class_put_ref(bindings->items[i]->event_class);
        free(bindings->items[i]);
    }
    free(bindings->items);
    pinsight_strings_clear(&bindings->hosts);
    *bindings = (struct pinsight_bindings){0};
}

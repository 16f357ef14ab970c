/* Binding of event classes; see babeltrace_bind.h. Names are looked up only here. */
#include "reader/ctf/babeltrace_bind.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Positions in a record: two contexts, and a number for each field. */
#define NUMBER_SIZE 8
#define FIELD_AT(field) ((2 + (field)) * NUMBER_SIZE)
#define TEXTS_AT FIELD_AT(PINSIGHT_EVENT_MAX_FIELDS)

/* Returns the index of a structure's member by name, or -1. Sets *kind to its kind of value. */
static int16_t find_member(const bt_field_class *structure, const char *name, uint8_t *kind) {
    uint64_t count;

    if (!structure || bt_field_class_get_type(structure) != BT_FIELD_CLASS_TYPE_STRUCTURE)
        return -1;
    count = bt_field_class_structure_get_member_count(structure);
    for (uint64_t i = 0; i < count && i < INT16_MAX; i++) {
        const bt_field_class_structure_member *member =
            bt_field_class_structure_borrow_member_by_index_const(structure, i);
        bt_field_class_type type;

        if (strcmp(bt_field_class_structure_member_get_name(member), name) != 0)
            continue;
        type = bt_field_class_get_type(
            bt_field_class_structure_member_borrow_field_class_const(member));
        if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER))
            *kind = PINSIGHT_FIELD_UNSIGNED;
        else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER))
            *kind = PINSIGHT_FIELD_SIGNED;
        else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_STRING))
            *kind = PINSIGHT_FIELD_STRING;
        else
            return -1;
        return (int16_t)i;
    }
    return -1;
}

/* Finds a context that is a number, which goes to `offset` of the record. Returns its scope. */
static enum babeltrace_scope find_context(const bt_event_class *event_class, const char *name,
                                          uint32_t offset, int16_t *member,
                                          struct pinsight_context_slot *context) {
    const bt_stream_class *stream_class = bt_event_class_borrow_stream_class_const(event_class);
    const bt_field_class *structures[] = {
        bt_stream_class_borrow_event_common_context_field_class_const(stream_class),
        bt_event_class_borrow_specific_context_field_class_const(event_class),
        bt_stream_class_borrow_packet_context_field_class_const(stream_class)};

    for (int i = BABELTRACE_COMMON; i < BABELTRACE_NO_CONTEXT; i++) {
        uint8_t kind = PINSIGHT_FIELD_STRING;

        *member = find_member(structures[i], name, &kind);
        if (*member < 0 || kind == PINSIGHT_FIELD_STRING)
            continue;
        context->scope = PINSIGHT_IN_EVENT;
        context->slot = (struct pinsight_slot){.offset = offset, .there = true, .kind = kind};
        return (enum babeltrace_scope)i;
    }
    return BABELTRACE_NO_CONTEXT;
}

static void set_clock(struct pinsight_binding *binding, const bt_clock_class *clock) {
    int64_t seconds;
    uint64_t cycles;

    if (!clock)
        return;
    bt_clock_class_get_offset(clock, &seconds, &cycles);
    binding->has_clock = true;
    pinsight_clock_set(&binding->clock, bt_clock_class_get_frequency(clock), seconds,
                       (int64_t)cycles);
}

static struct pinsight_binding *new_binding(struct pinsight_bindings *bindings,
                                            const bt_event_class *event_class,
                                            const bt_trace *trace) {
    const bt_value *value =
        bt_trace_borrow_environment_entry_value_by_name_const(trace, "hostname");
    const char *host = value && bt_value_is_string(value) ? bt_value_string_get(value) : "";
    const char *name = bt_event_class_get_name(event_class);
    struct pinsight_binding *binding = pinsight_binding_new(
        bindings, name ? name : "", name ? strlen(name) : 0, host, strlen(host));

    value = bt_trace_borrow_environment_entry_value_by_name_const(trace, "vpid");
    if (value && bt_value_is_signed_integer(value))
        binding->trace_vpid = bt_value_integer_signed_get(value);
    return binding;
}

static struct babeltrace_class *make(struct babeltrace_classes *classes,
                                     struct pinsight_bindings *bindings, const bt_event *event,
                                     const bt_event_class *event_class) {
    struct babeltrace_class *class = pinsight_calloc(1, sizeof(*class));
    const bt_field_class *payload = bt_event_class_borrow_payload_field_class_const(event_class);
    struct pinsight_binding *binding = new_binding(
        bindings, event_class, bt_stream_borrow_trace_const(bt_event_borrow_stream_const(event)));
    const struct pinsight_event_desc *desc = &pinsight_event_descs[binding->id];
    uint8_t segment = 0;

    bt_event_class_get_ref(event_class);
    class->event_class = event_class;
    class->binding = binding;
    set_clock(binding, bt_stream_class_borrow_default_clock_class_const(
                           bt_event_class_borrow_stream_class_const(event_class)));
    class->vpid_scope = find_context(event_class, "vpid", 0, &class->vpid, &binding->vpid);
    class->vtid_scope =
        find_context(event_class, "vtid", NUMBER_SIZE, &class->vtid, &binding->vtid);
    for (size_t i = 0; i < desc->field_count; i++) {
        struct pinsight_slot *slot = &binding->fields[i];

        class->members[i] = find_member(payload, desc->fields[i].name, &slot->kind);
        slot->there = class->members[i] >= 0;
        if (slot->there && slot->kind == PINSIGHT_FIELD_STRING)
            slot->segment = ++segment;
        else
            slot->offset = (uint32_t)FIELD_AT(i);
    }
    *PINSIGHT_ADD(classes->items, classes->count, classes->capacity) = class;
    return class;
}

const struct babeltrace_class *babeltrace_class_of(struct babeltrace_classes *classes,
                                                   struct pinsight_bindings *bindings,
                                                   const bt_event *event) {
    const bt_event_class *event_class = bt_event_borrow_class_const(event);
    struct babeltrace_class **cached =
        &classes->cache[((uintptr_t)event_class >> 4 ^ (uintptr_t)event_class >> 10) & 63];

    for (size_t i = 0; (!*cached || (*cached)->event_class != event_class); i++)
        *cached =
            i < classes->count ? classes->items[i] : make(classes, bindings, event, event_class);
    return *cached;
}

static void put_number(unsigned char *to, const bt_field *structure, int16_t member, uint8_t kind) {
    const bt_field *field =
        bt_field_structure_borrow_member_field_by_index_const(structure, (uint64_t)member);
    uint64_t value = kind == PINSIGHT_FIELD_SIGNED
                         ? (uint64_t)bt_field_integer_signed_get_value(field)
                         : bt_field_integer_unsigned_get_value(field);

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    memcpy(to, &value, sizeof(value));
}

static void put_context(unsigned char *to, const bt_event *event, enum babeltrace_scope scope,
                        int16_t member, const struct pinsight_context_slot *context) {
    const bt_field *structure = NULL;

    if (scope == BABELTRACE_COMMON)
        structure = bt_event_borrow_common_context_field_const(event);
    else if (scope == BABELTRACE_SPECIFIC)
        structure = bt_event_borrow_specific_context_field_const(event);
    else if (scope == BABELTRACE_PACKET)
        structure = bt_packet_borrow_context_field_const(bt_event_borrow_packet_const(event));
    if (structure)
        put_number(to, structure, member, context->slot.kind);
}

static void reserve(struct babeltrace_record *record, size_t size) {
    if (size <= record->capacity)
        return;
    record->capacity = 2 * size;
    record->bytes = pinsight_realloc(record->bytes, record->capacity, 1);
}

void babeltrace_record_event(struct babeltrace_record *record, const struct babeltrace_class *class,
                             const bt_event *event, struct pinsight_event *to) {
    const struct pinsight_binding *binding = class->binding;
    const bt_field *payload = bt_event_borrow_payload_field_const(event);
    size_t used = TEXTS_AT;

    reserve(record, used);
    put_context(record->bytes, event, class->vpid_scope, class->vpid, &binding->vpid);
    put_context(record->bytes + NUMBER_SIZE, event, class->vtid_scope, class->vtid, &binding->vtid);
    for (size_t i = 0; i < pinsight_event_descs[binding->id].field_count; i++) {
        struct pinsight_slot slot = binding->fields[i];
        const bt_field *text;
        size_t length;

        if (!slot.there)
            continue;
        if (slot.kind != PINSIGHT_FIELD_STRING) {
            put_number(record->bytes + slot.offset, payload, class->members[i], slot.kind);
            continue;
        }
        text = bt_field_structure_borrow_member_field_by_index_const(payload,
                                                                     (uint64_t) class->members[i]);
        /* The value of an empty string may be the field's previous value. */
        length = bt_field_string_get_length(text) ? strlen(bt_field_string_get_value(text)) : 0;
        reserve(record, used + length + 1);
        if (length)
            memcpy(record->bytes + used, bt_field_string_get_value(text), length);
        record->bytes[used + length] = '\0';
        record->bases[slot.segment] = (uint32_t)used;
        used += length + 1;
    }
    to->binding = binding;
    to->at = record->bytes;
    to->bases = record->bases;
}

void babeltrace_classes_clear(struct babeltrace_classes *classes) {
    for (size_t i = 0; i < classes->count; i++) {
        bt_event_class_put_ref(classes->items[i]->event_class);
        free(classes->items[i]);
    }
    free(classes->items);
    *classes = (struct babeltrace_classes){0};
}

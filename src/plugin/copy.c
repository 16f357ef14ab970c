/* Copies of classes and fields; see copy.h. */
#include "plugin/copy.h"

static bt_field_class *copy_field_class(bt_trace_class *into, const bt_field_class *from);

static bool copy_members(bt_trace_class *into, const bt_field_class *from, bt_field_class *to) {
    uint64_t count = bt_field_class_structure_get_member_count(from);

    for (uint64_t i = 0; i < count; i++) {
        const bt_field_class_structure_member *member =
            bt_field_class_structure_borrow_member_by_index_const(from, i);
        bt_field_class *copy = copy_field_class(
            into, bt_field_class_structure_member_borrow_field_class_const(member));
        bool failed = !copy || bt_field_class_structure_append_member(
                                   to, bt_field_class_structure_member_get_name(member), copy);

        bt_field_class_put_ref(copy);
        if (failed)
            return false;
    }
    return true;
}

/* Define copy_unsigned_mappings() and copy_signed_mappings(), which copy the labels of an
 * enumeration. */
#define COPY_MAPPINGS(sign)                                                                        \
    static bool copy_##sign##_mappings(const bt_field_class *from, bt_field_class *to) {           \
        uint64_t count = bt_field_class_enumeration_get_mapping_count(from);                       \
                                                                                                   \
        for (uint64_t i = 0; i < count; i++) {                                                     \
            const bt_field_class_enumeration_##sign##_mapping *mapping =                           \
                bt_field_class_enumeration_##sign##_borrow_mapping_by_index_const(from, i);        \
            const char *label = bt_field_class_enumeration_mapping_get_label(                      \
                bt_field_class_enumeration_##sign##_mapping_as_mapping_const(mapping));            \
                                                                                                   \
            if (bt_field_class_enumeration_##sign##_add_mapping(                                   \
                    to, label,                                                                     \
                    bt_field_class_enumeration_##sign##_mapping_borrow_ranges_const(mapping)))     \
                return false;                                                                      \
        }                                                                                          \
        return true;                                                                               \
    }

COPY_MAPPINGS(unsigned)
COPY_MAPPINGS(signed)

static bt_field_class *copy_field_class(bt_trace_class *into, const bt_field_class *from) {
    bt_field_class_type type = bt_field_class_get_type(from);
    bt_field_class *to = NULL;
    bool whole = true;

    switch (type) {
    case BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER:
        to = bt_field_class_integer_unsigned_create(into);
        break;
    case BT_FIELD_CLASS_TYPE_SIGNED_INTEGER:
        to = bt_field_class_integer_signed_create(into);
        break;
    case BT_FIELD_CLASS_TYPE_UNSIGNED_ENUMERATION:
        to = bt_field_class_enumeration_unsigned_create(into);
        whole = to && copy_unsigned_mappings(from, to);
        break;
    case BT_FIELD_CLASS_TYPE_SIGNED_ENUMERATION:
        to = bt_field_class_enumeration_signed_create(into);
        whole = to && copy_signed_mappings(from, to);
        break;
    case BT_FIELD_CLASS_TYPE_STRING:
        return bt_field_class_string_create(into);
    case BT_FIELD_CLASS_TYPE_STRUCTURE:
        to = bt_field_class_structure_create(into);
        whole = to && copy_members(into, from, to);
        break;
    default:
        return NULL;
    }
    if (!whole) {
        bt_field_class_put_ref(to);
        return NULL;
    }
    if (to && type != BT_FIELD_CLASS_TYPE_STRUCTURE) {
        bt_field_class_integer_set_field_value_range(
            to, bt_field_class_integer_get_field_value_range(from));
        bt_field_class_integer_set_preferred_display_base(
            to, bt_field_class_integer_get_preferred_display_base(from));
    }
    return to;
}

static bool copy_environment(const bt_trace *from, bt_trace *to) {
    uint64_t count = bt_trace_get_environment_entry_count(from);

    for (uint64_t i = 0; i < count; i++) {
        const bt_value *value;
        const char *name;
        int failed = 0;

        bt_trace_borrow_environment_entry_by_index_const(from, i, &name, &value);
        if (bt_value_is_signed_integer(value))
            failed = bt_trace_set_environment_entry_integer(to, name,
                                                            bt_value_integer_signed_get(value));
        else if (bt_value_is_string(value))
            failed = bt_trace_set_environment_entry_string(to, name, bt_value_string_get(value));
        if (failed)
            return false;
    }
    return true;
}

bt_trace *pinsight_copy_trace(bt_self_component *self, const bt_trace *trace) {
    bt_trace_class *made = bt_trace_class_create(self);
    const char *name = bt_trace_get_name(trace);
    bt_uuid uuid = bt_trace_get_uuid(trace);
    bt_trace *copy;

    if (!made)
        return NULL;
    bt_trace_class_set_assigns_automatic_stream_class_id(made, BT_FALSE);
    copy = bt_trace_create(made);
    bt_trace_class_put_ref(made);
    if (!copy)
        return NULL;
    if (uuid)
        bt_trace_set_uuid(copy, uuid);
    if ((name && bt_trace_set_name(copy, name)) || !copy_environment(trace, copy)) {
        bt_trace_put_ref(copy);
        return NULL;
    }
    return copy;
}

static bool copy_clock(bt_self_component *self, const bt_stream_class *from, bt_stream_class *to) {
    const bt_clock_class *clock = bt_stream_class_borrow_default_clock_class_const(from);
    bt_clock_class *copy;
    int64_t seconds;
    uint64_t cycles;
    bool failed;

    if (!clock)
        return true;
    copy = bt_clock_class_create(self);
    if (!copy)
        return false;
    bt_clock_class_get_offset(clock, &seconds, &cycles);
    bt_clock_class_set_frequency(copy, bt_clock_class_get_frequency(clock));
    bt_clock_class_set_offset(copy, seconds, cycles);
    bt_clock_class_set_precision(copy, bt_clock_class_get_precision(clock));
    bt_clock_class_set_origin_is_unix_epoch(copy, bt_clock_class_origin_is_unix_epoch(clock));
    if (bt_clock_class_get_uuid(clock))
        bt_clock_class_set_uuid(copy, bt_clock_class_get_uuid(clock));
    failed = (bt_clock_class_get_name(clock) &&
              bt_clock_class_set_name(copy, bt_clock_class_get_name(clock))) ||
             (bt_clock_class_get_description(clock) &&
              bt_clock_class_set_description(copy, bt_clock_class_get_description(clock))) ||
             bt_stream_class_set_default_clock_class(to, copy);
    bt_clock_class_put_ref(copy);
    return !failed;
}

static bool copy_contexts(bt_trace_class *into, const bt_stream_class *from, bt_stream_class *to) {
    const bt_field_class *packet = bt_stream_class_borrow_packet_context_field_class_const(from);
    const bt_field_class *event =
        bt_stream_class_borrow_event_common_context_field_class_const(from);
    bt_field_class *packet_copy = packet ? copy_field_class(into, packet) : NULL;
    bt_field_class *event_copy = event ? copy_field_class(into, event) : NULL;
    bool failed =
        (packet &&
         (!packet_copy || bt_stream_class_set_packet_context_field_class(to, packet_copy))) ||
        (event &&
         (!event_copy || bt_stream_class_set_event_common_context_field_class(to, event_copy)));

    bt_field_class_put_ref(packet_copy);
    bt_field_class_put_ref(event_copy);
    return !failed;
}

bt_stream_class *pinsight_copy_stream_class(bt_self_component *self, bt_trace *into,
                                            const bt_stream_class *from) {
    bt_trace_class *trace_class = bt_trace_borrow_class(into);
    uint64_t id = bt_stream_class_get_id(from);
    bt_stream_class *to = bt_trace_class_borrow_stream_class_by_id(trace_class, id);
    const char *name = bt_stream_class_get_name(from);

    if (to)
        return to;
    to = bt_stream_class_create_with_id(trace_class, id);
    if (!to)
        return NULL;
    bt_stream_class_put_ref(to); /* its trace's class keeps it */
    bt_stream_class_set_assigns_automatic_event_class_id(to, BT_FALSE);
    bt_stream_class_set_assigns_automatic_stream_id(to, BT_FALSE);
    if ((name && bt_stream_class_set_name(to, name)) || !copy_clock(self, from, to))
        return NULL;
    bt_stream_class_set_supports_packets(
        to, bt_stream_class_supports_packets(from),
        bt_stream_class_packets_have_beginning_default_clock_snapshot(from),
        bt_stream_class_packets_have_end_default_clock_snapshot(from));
    bt_stream_class_set_supports_discarded_events(
        to, bt_stream_class_supports_discarded_events(from),
        bt_stream_class_discarded_events_have_default_clock_snapshots(from));
    bt_stream_class_set_supports_discarded_packets(
        to, bt_stream_class_supports_discarded_packets(from),
        bt_stream_class_discarded_packets_have_default_clock_snapshots(from));
    return copy_contexts(trace_class, from, to) ? to : NULL;
}

bt_stream *pinsight_copy_stream(bt_self_component *self, bt_trace *into, const bt_stream *stream) {
    bt_stream_class *to =
        pinsight_copy_stream_class(self, into, bt_stream_borrow_class_const(stream));
    const char *name = bt_stream_get_name(stream);
    bt_stream *copy = to ? bt_stream_create_with_id(to, into, bt_stream_get_id(stream)) : NULL;

    if (copy && name && bt_stream_set_name(copy, name)) {
        bt_stream_put_ref(copy);
        return NULL;
    }
    return copy;
}

static bool copy_event_fields(bt_trace_class *into, const bt_event_class *from, bt_event_class *to,
                              bool (*more)(bt_trace_class *, bt_field_class *)) {
    const bt_field_class *context = bt_event_class_borrow_specific_context_field_class_const(from);
    const bt_field_class *payload = bt_event_class_borrow_payload_field_class_const(from);
    bt_field_class *context_copy = context ? copy_field_class(into, context) : NULL;
    bt_field_class *payload_copy = payload ? copy_field_class(into, payload) : NULL;
    bool failed =
        (context &&
         (!context_copy || bt_event_class_set_specific_context_field_class(to, context_copy))) ||
        (payload && (!payload_copy || (more && !more(into, payload_copy)) ||
                     bt_event_class_set_payload_field_class(to, payload_copy)));

    bt_field_class_put_ref(context_copy);
    bt_field_class_put_ref(payload_copy);
    return !failed;
}

bt_event_class *pinsight_copy_event_class(bt_stream_class *into, const bt_event_class *from,
                                          bool (*more)(bt_trace_class *, bt_field_class *)) {
    uint64_t id = bt_event_class_get_id(from);
    bt_event_class *to = bt_stream_class_borrow_event_class_by_id(into, id);
    const char *name = bt_event_class_get_name(from);
    const char *emf_uri = bt_event_class_get_emf_uri(from);
    bt_event_class_log_level level;

    if (to)
        return to;
    to = bt_event_class_create_with_id(into, id);
    if (!to)
        return NULL;
    bt_event_class_put_ref(to); /* its stream's class keeps it */
    if ((name && bt_event_class_set_name(to, name)) ||
        (emf_uri && bt_event_class_set_emf_uri(to, emf_uri)))
        return NULL;
    if (bt_event_class_get_log_level(from, &level) == BT_PROPERTY_AVAILABILITY_AVAILABLE)
        bt_event_class_set_log_level(to, level);
    return copy_event_fields(bt_stream_class_borrow_trace_class(into), from, to, more) ? to : NULL;
}

bool pinsight_copy_field(const bt_field *from, bt_field *to) {
    switch (bt_field_get_class_type(from)) {
    case BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER:
    case BT_FIELD_CLASS_TYPE_UNSIGNED_ENUMERATION:
        bt_field_integer_unsigned_set_value(to, bt_field_integer_unsigned_get_value(from));
        return true;
    case BT_FIELD_CLASS_TYPE_SIGNED_INTEGER:
    case BT_FIELD_CLASS_TYPE_SIGNED_ENUMERATION:
        bt_field_integer_signed_set_value(to, bt_field_integer_signed_get_value(from));
        return true;
    case BT_FIELD_CLASS_TYPE_STRING:
        return !bt_field_string_set_value(to, bt_field_string_get_value(from));
    default: /* a structure; copy_field_class refuses all others */
        break;
    }
    for (uint64_t i = 0, count = bt_field_class_structure_get_member_count(
                             bt_field_borrow_class_const(from));
         i < count; i++)
        if (!pinsight_copy_field(bt_field_structure_borrow_member_field_by_index_const(from, i),
                                 bt_field_structure_borrow_member_field_by_index(to, i)))
            return false;
    return true;
}

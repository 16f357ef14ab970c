/* The events that say or need names; see registry.h. */
#include "plugin/registry.h"

#include <string.h>

#define PYTHON "python_pinsight_lttng_ust:"
#define CORE "pinsight_lttng_ust:"

static const bt_field *member(const bt_field *structure, const char *name) {
    if (!structure || bt_field_get_class_type(structure) != BT_FIELD_CLASS_TYPE_STRUCTURE)
        return NULL;
    return bt_field_structure_borrow_member_field_by_name_const(structure, name);
}

/* Gets the value of an integer field. Returns false if there is none. */
static bool integer(const bt_field *field, int64_t *value) {
    if (!field)
        return false;
    switch (bt_field_get_class_type(field)) {
    case BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER:
        *value = (int64_t)bt_field_integer_unsigned_get_value(field);
        return true;
    case BT_FIELD_CLASS_TYPE_SIGNED_INTEGER:
        *value = bt_field_integer_signed_get_value(field);
        return true;
    default:
        return false;
    }
}

static const char *text(const bt_field *field) {
    if (!field || bt_field_get_class_type(field) != BT_FIELD_CLASS_TYPE_STRING)
        return "";
    return bt_field_string_get_value(field);
}

/* Gets the process of an event. LTTng has it in each event, the file recorder in each packet. */
static bool process_of(const bt_event *event, int64_t *pid) {
    const bt_stream *stream = bt_event_borrow_stream_const(event);
    const bt_field *context = bt_event_borrow_common_context_field_const(event);

    if (integer(member(context, "vpid"), pid))
        return true;
    return bt_stream_class_supports_packets(bt_stream_borrow_class_const(stream)) &&
           integer(member(bt_packet_borrow_context_field_const(bt_event_borrow_packet_const(event)),
                          "vpid"),
                   pid);
}

void pinsight_registry_learn(struct pinsight_names *names, const bt_event *event) {
    const char *name = bt_event_class_get_name(bt_event_borrow_class_const(event));
    const bt_field *payload = bt_event_borrow_payload_field_const(event);
    int64_t pid, number, lineno = 0;

    if (!name || !payload)
        return;
    if (strcmp(name, CORE "process_info") == 0) {
        /* After an exec, the numbers have another meaning. */
        if (integer(member(payload, "program_number"), &number) && number != names->program) {
            if (names->program)
                pinsight_names_clear(names);
            names->program = number;
        }
        return;
    }
    if (strcmp(name, CORE "thread_info") == 0) {
        if (integer(member(payload, "pid"), &pid) && integer(member(payload, "tid"), &number))
            pinsight_names_thread(names, (uint32_t)number, (uint32_t)pid);
        return;
    }
    if (strncmp(name, PYTHON, strlen(PYTHON)) != 0 || !process_of(event, &pid))
        return;
    name += strlen(PYTHON);
    if (strcmp(name, "code_info") == 0 && integer(member(payload, "code"), &number)) {
        integer(member(payload, "lineno"), &lineno);
        pinsight_names_define(
            names, PINSIGHT_NAMED_FUNCTION, (uint32_t)pid, (uint32_t)number,
            &(struct pinsight_name){.name = (char *)text(member(payload, "qualname")),
                                    .filename = (char *)text(member(payload, "filename")),
                                    .lineno = lineno});
    } else if (strcmp(name, "callee_info") == 0 && integer(member(payload, "callee"), &number)) {
        pinsight_names_define(
            names, PINSIGHT_NAMED_CALLEE, (uint32_t)pid, (uint32_t)number,
            &(struct pinsight_name){.name = (char *)text(member(payload, "callee_name")),
                                    .filename = (char *)""});
    }
}

static bool append(bt_field_class *payload, const char *name, bt_field_class *field) {
    bool failed = !field || bt_field_class_structure_append_member(payload, name, field);

    bt_field_class_put_ref(field);
    return !failed;
}

static bool more_of_function(bt_trace_class *trace_class, bt_field_class *payload) {
    return append(payload, "pid", bt_field_class_integer_signed_create(trace_class)) &&
           append(payload, "qualname", bt_field_class_string_create(trace_class)) &&
           append(payload, "filename", bt_field_class_string_create(trace_class)) &&
           append(payload, "first_lineno", bt_field_class_integer_signed_create(trace_class)) &&
           append(payload, "how", bt_field_class_string_create(trace_class));
}

static bool more_of_call(bt_trace_class *trace_class, bt_field_class *payload) {
    return append(payload, "pid", bt_field_class_integer_signed_create(trace_class)) &&
           append(payload, "callee_name", bt_field_class_string_create(trace_class)) &&
           append(payload, "how", bt_field_class_string_create(trace_class));
}

static bool has_member(const bt_event_class *event_class, const char *name) {
    const bt_field_class *payload = bt_event_class_borrow_payload_field_class_const(event_class);

    return payload && bt_field_class_structure_borrow_member_by_name_const(payload, name);
}

pinsight_registry_more *pinsight_registry_lacks(const bt_event_class *event_class) {
    const char *name = bt_event_class_get_name(event_class);

    /* Not if another filter of this kind has added the names already. */
    if (!name || strncmp(name, PYTHON, strlen(PYTHON)) != 0 || has_member(event_class, "how"))
        return NULL;
    if (has_member(event_class, "code_how"))
        return more_of_function;
    return has_member(event_class, "callee_how") ? more_of_call : NULL;
}

/* Returns the meaning of the two low bits of a number. */
static const char *how_it_was(const char *event, unsigned how) {
    static const char *const begin[] = {"start", "resume", "throw", ""},
                             *const end[] = {"return", "yield", "unwind", "lost"},
                             *const call[] = {"return", "raise", "", "lost"};

    if (strcmp(event, PYTHON "begin") == 0)
        return begin[how];
    if (strcmp(event, PYTHON "end") == 0)
        return end[how];
    return strcmp(event, PYTHON "c_end") == 0 ? call[how] : "";
}

static bt_field *new_member(bt_field *payload, const char *name) {
    return bt_field_structure_borrow_member_field_by_name(payload, name);
}

bool pinsight_registry_name(const struct pinsight_names *names, bt_event *to) {
    const char *event = bt_event_class_get_name(bt_event_borrow_class_const(to));
    bt_field *payload = bt_event_borrow_payload_field(to);
    bool is_call = member(payload, "callee_how") != NULL;
    int64_t number = 0, tid = 0, pid;
    struct pinsight_name found;
    int failed;

    integer(member(payload, is_call ? "callee_how" : "code_how"), &number);
    if (integer(member(payload, "tid"), &tid))
        pid = pinsight_names_process(names, (uint32_t)tid);
    else if (!process_of(to, &pid))
        pid = -1;
    found = pinsight_names_find(names, is_call ? PINSIGHT_NAMED_CALLEE : PINSIGHT_NAMED_FUNCTION,
                                pid, (uint32_t)number / 4);
    bt_field_integer_signed_set_value(new_member(payload, "pid"), pid);
    failed = bt_field_string_set_value(new_member(payload, "how"),
                                       how_it_was(event, (unsigned)number % 4));
    if (is_call)
        return !failed &&
               !bt_field_string_set_value(new_member(payload, "callee_name"), found.name);
    bt_field_integer_signed_set_value(new_member(payload, "first_lineno"), found.lineno);
    return !failed && !bt_field_string_set_value(new_member(payload, "qualname"), found.name) &&
           !bt_field_string_set_value(new_member(payload, "filename"), found.filename);
}

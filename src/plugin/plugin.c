/* A plugin of babeltrace2: `filter.pinsight.names` adds names to events that have numbers (names =
 * registry), for any sink. Everything else passes unchanged. It works as a stream: it keeps names
 * and open objects, but no events. */
#include "base/memory.h"
#include "plugin/copy.h"
#include "plugin/registry.h"

#include <babeltrace2/babeltrace.h>
#include <stdlib.h>
#include <string.h>

/* The plugin's entry points must be visible, in spite of the library's hidden visibility. */
#pragma GCC visibility push(default)
BT_PLUGIN_MODULE();
#pragma GCC visibility pop

struct trace {
    const bt_trace *theirs; /* a reference */
    bt_trace *ours;
};

/* A process. Each has its own numbers, and several can have the same pid. */
struct process {
    size_t trace;
    char *name; /* prefix of its streams' names; "" if a trace has one process */
    struct pinsight_names names;
};

struct stream {
    const bt_stream *theirs; /* a reference */
    bt_stream *ours;
    bt_packet *packet; /* the open packet, or NULL */
    size_t process;
};

struct filter {
    bt_self_message_iterator *self;
    bt_message_iterator *upstream;
    struct trace *traces;
    struct process *processes;
    struct stream *streams;
    size_t trace_count, trace_capacity, stream_count, stream_capacity;
    size_t process_count, process_capacity;
    size_t last; /* the stream of the last look-up */
};

static bt_self_component *component(const struct filter *filter) {
    return bt_self_message_iterator_borrow_component(filter->self);
}

/* ---- streams ---- */

static bool find_trace(struct filter *filter, const bt_trace *theirs, size_t *number) {
    struct trace *own;

    for (*number = 0; *number < filter->trace_count; ++*number)
        if (filter->traces[*number].theirs == theirs)
            return true;
    filter->traces = pinsight_grow(filter->traces, filter->trace_count, &filter->trace_capacity,
                                   sizeof(*filter->traces));
    own = &filter->traces[filter->trace_count];
    *own = (struct trace){.ours = pinsight_copy_trace(component(filter), theirs)};
    if (!own->ours)
        return false;
    own->theirs = theirs;
    bt_trace_get_ref(theirs);
    filter->trace_count++;
    return true;
}

/* Returns the process of a stream. The file recorder names a stream's file PROCESS-NUMBER. */
static size_t find_process(struct filter *filter, const bt_stream *theirs, size_t trace) {
    const bt_value *tracer = bt_trace_borrow_environment_entry_value_by_name_const(
        bt_stream_borrow_trace_const(theirs), "tracer_name");
    const bool is_ours = tracer && bt_value_is_string(tracer) &&
                         strcmp(bt_value_string_get(tracer), "pinsight") == 0;
    const char *name = is_ours ? bt_stream_get_name(theirs) : NULL;
    const char *slash = name ? strrchr(name, '/') : NULL;
    const char *last = name ? strrchr(name, '-') : NULL;
    size_t length;

    name = slash ? slash + 1 : name;
    length = last && last > name ? (size_t)(last - name) : 0;
    for (size_t i = 0; i < filter->process_count; i++)
        if (filter->processes[i].trace == trace && strlen(filter->processes[i].name) == length &&
            (!length || memcmp(filter->processes[i].name, name, length) == 0))
            return i;
    *PINSIGHT_ADD(filter->processes, filter->process_count, filter->process_capacity) =
        (struct process){.trace = trace, .name = pinsight_memdup(length ? name : "", length)};
    return filter->process_count - 1;
}

/* Returns the copy of a stream. Returns NULL on lack of memory, or if a part cannot be copied. */
static struct stream *find_stream(struct filter *filter, const bt_stream *theirs) {
    struct stream *own;
    size_t number;

    if (filter->last < filter->stream_count && filter->streams[filter->last].theirs == theirs)
        return &filter->streams[filter->last];
    for (filter->last = 0; filter->last < filter->stream_count; filter->last++)
        if (filter->streams[filter->last].theirs == theirs)
            return &filter->streams[filter->last];
    if (!find_trace(filter, bt_stream_borrow_trace_const(theirs), &number))
        return NULL;
    filter->streams = pinsight_grow(filter->streams, filter->stream_count, &filter->stream_capacity,
                                    sizeof(*filter->streams));
    own = &filter->streams[filter->stream_count];
    *own = (struct stream){
        .ours = pinsight_copy_stream(component(filter), filter->traces[number].ours, theirs),
        .process = find_process(filter, theirs, number)};
    if (!own->ours)
        return NULL;
    own->theirs = theirs;
    bt_stream_get_ref(theirs);
    filter->stream_count++;
    return own;
}

/* ---- messages: each function returns the copy of a message, or NULL ---- */

/* Defines stream_begins() and stream_ends(). `which` is the differing part of babeltrace2's
 * names. */
#define STREAM_MESSAGE(function, which)                                                            \
    static bt_message *function(struct filter *filter, const bt_message *theirs) {                 \
        const bt_stream *stream = bt_message_stream_##which##_borrow_stream_const(theirs);         \
        struct stream *own = find_stream(filter, stream);                                          \
        const bt_clock_snapshot *clock;                                                            \
        bt_message *message =                                                                      \
            own ? bt_message_stream_##which##_create(filter->self, own->ours) : NULL;              \
                                                                                                   \
        if (message &&                                                                             \
            bt_stream_class_borrow_default_clock_class_const(                                      \
                bt_stream_borrow_class_const(stream)) &&                                           \
            bt_message_stream_##which##_borrow_default_clock_snapshot_const(theirs, &clock) ==     \
                BT_MESSAGE_STREAM_CLOCK_SNAPSHOT_STATE_KNOWN)                                      \
            bt_message_stream_##which##_set_default_clock_snapshot(                                \
                message, bt_clock_snapshot_get_value(clock));                                      \
        return message;                                                                            \
    }

STREAM_MESSAGE(stream_begins, beginning)
STREAM_MESSAGE(stream_ends, end)

static bt_message *packet_begins(struct filter *filter, const bt_message *theirs) {
    const bt_packet *packet = bt_message_packet_beginning_borrow_packet_const(theirs);
    const bt_stream *stream = bt_packet_borrow_stream_const(packet);
    const bt_field *context = bt_packet_borrow_context_field_const(packet);
    struct stream *own = find_stream(filter, stream);

    if (!own)
        return NULL;
    bt_packet_put_ref(own->packet);
    own->packet = bt_packet_create(own->ours);
    if (!own->packet ||
        (context && !pinsight_copy_field(context, bt_packet_borrow_context_field(own->packet))))
        return NULL;
    if (!bt_stream_class_packets_have_beginning_default_clock_snapshot(
            bt_stream_borrow_class_const(stream)))
        return bt_message_packet_beginning_create(filter->self, own->packet);
    return bt_message_packet_beginning_create_with_default_clock_snapshot(
        filter->self, own->packet,
        bt_clock_snapshot_get_value(
            bt_message_packet_beginning_borrow_default_clock_snapshot_const(theirs)));
}

static bt_message *packet_ends(struct filter *filter, const bt_message *theirs) {
    const bt_stream *stream =
        bt_packet_borrow_stream_const(bt_message_packet_end_borrow_packet_const(theirs));
    struct stream *own = find_stream(filter, stream);
    bt_message *message;

    if (!own || !own->packet)
        return NULL;
    if (!bt_stream_class_packets_have_end_default_clock_snapshot(
            bt_stream_borrow_class_const(stream)))
        message = bt_message_packet_end_create(filter->self, own->packet);
    else
        message = bt_message_packet_end_create_with_default_clock_snapshot(
            filter->self, own->packet,
            bt_clock_snapshot_get_value(
                bt_message_packet_end_borrow_default_clock_snapshot_const(theirs)));
    bt_packet_put_ref(own->packet);
    own->packet = NULL;
    return message;
}

static bt_message *new_event(struct filter *filter, const struct stream *own,
                             const bt_message *theirs, const bt_event_class *event_class,
                             bool has_clock) {
    uint64_t ns;

    if (!has_clock)
        return own->packet
                   ? bt_message_event_create_with_packet(filter->self, event_class, own->packet)
                   : bt_message_event_create(filter->self, event_class, own->ours);
    ns = bt_clock_snapshot_get_value(bt_message_event_borrow_default_clock_snapshot_const(theirs));
    if (own->packet)
        return bt_message_event_create_with_packet_and_default_clock_snapshot(
            filter->self, event_class, own->packet, ns);
    return bt_message_event_create_with_default_clock_snapshot(filter->self, event_class, own->ours,
                                                               ns);
}

static bool copy_fields(const bt_event *from, bt_event *to) {
    const bt_field *common = bt_event_borrow_common_context_field_const(from);
    const bt_field *specific = bt_event_borrow_specific_context_field_const(from);
    const bt_field *payload = bt_event_borrow_payload_field_const(from);

    return (!common || pinsight_copy_field(common, bt_event_borrow_common_context_field(to))) &&
           (!specific ||
            pinsight_copy_field(specific, bt_event_borrow_specific_context_field(to))) &&
           (!payload || pinsight_copy_field(payload, bt_event_borrow_payload_field(to)));
}

static bt_message *event(struct filter *filter, const bt_message *theirs) {
    const bt_event *from = bt_message_event_borrow_event_const(theirs);
    const bt_stream *stream = bt_event_borrow_stream_const(from);
    const bt_event_class *class = bt_event_borrow_class_const(from);
    struct stream *own = find_stream(filter, stream);
    pinsight_registry_more *lacks = pinsight_registry_lacks(class);
    bt_event_class *copy;
    struct pinsight_names *names;
    bt_message *message;
    bt_event *to;

    if (!own)
        return NULL;
    names = &filter->processes[own->process].names;
    copy = pinsight_copy_event_class(bt_stream_borrow_class(own->ours), class, lacks);
    message = copy ? new_event(filter, own, theirs, copy,
                               bt_stream_class_borrow_default_clock_class_const(
                                   bt_stream_borrow_class_const(stream)) != NULL)
                   : NULL;
    if (!message)
        return NULL;
    to = bt_message_event_borrow_event(message);
    pinsight_registry_learn(names, from);
    if (!copy_fields(from, to) || (lacks && !pinsight_registry_name(names, to))) {
        bt_message_put_ref(message);
        return NULL;
    }
    return message;
}

/* Defines events_discarded() and packets_discarded(). `what` is the differing part of babeltrace2's
 * names. */
#define DISCARDED_MESSAGE(what)                                                                    \
    static bt_message *what##_discarded(struct filter *filter, const bt_message *theirs) {         \
        const bt_stream *stream = bt_message_discarded_##what##_borrow_stream_const(theirs);       \
        struct stream *own = find_stream(filter, stream);                                          \
        bt_message *message;                                                                       \
        uint64_t count;                                                                            \
                                                                                                   \
        if (!own)                                                                                  \
            return NULL;                                                                           \
        if (!bt_stream_class_discarded_##what##_have_default_clock_snapshots(                      \
                bt_stream_borrow_class_const(stream)))                                             \
            message = bt_message_discarded_##what##_create(filter->self, own->ours);               \
        else                                                                                       \
            message = bt_message_discarded_##what##_create_with_default_clock_snapshots(           \
                filter->self, own->ours,                                                           \
                bt_clock_snapshot_get_value(                                                       \
                    bt_message_discarded_##what##_borrow_beginning_default_clock_snapshot_const(   \
                        theirs)),                                                                  \
                bt_clock_snapshot_get_value(                                                       \
                    bt_message_discarded_##what##_borrow_end_default_clock_snapshot_const(         \
                        theirs)));                                                                 \
        if (message && bt_message_discarded_##what##_get_count(theirs, &count) ==                  \
                           BT_PROPERTY_AVAILABILITY_AVAILABLE)                                     \
            bt_message_discarded_##what##_set_count(message, count);                               \
        return message;                                                                            \
    }

DISCARDED_MESSAGE(events)
DISCARDED_MESSAGE(packets)

/* The function for each type of message. Other messages pass unchanged. */
static const struct {
    bt_message_type type;
    bt_message *(*take)(struct filter *filter, const bt_message *theirs);
} takers[] = {{BT_MESSAGE_TYPE_EVENT, event},
              {BT_MESSAGE_TYPE_PACKET_BEGINNING, packet_begins},
              {BT_MESSAGE_TYPE_PACKET_END, packet_ends},
              {BT_MESSAGE_TYPE_DISCARDED_EVENTS, events_discarded},
              {BT_MESSAGE_TYPE_DISCARDED_PACKETS, packets_discarded},
              {BT_MESSAGE_TYPE_STREAM_BEGINNING, stream_begins},
              {BT_MESSAGE_TYPE_STREAM_END, stream_ends}};

static const bt_message *given_on(struct filter *filter, const bt_message *theirs) {
    for (size_t i = 0; i < sizeof(takers) / sizeof(takers[0]); i++)
        if (takers[i].type == bt_message_get_type(theirs))
            return takers[i].take(filter, theirs);
    bt_message_get_ref(theirs);
    return theirs;
}

/* ---- the filter ---- */

static bt_message_iterator_class_next_method_status next(bt_self_message_iterator *self,
                                                         bt_message_array_const messages,
                                                         uint64_t capacity, uint64_t *count) {
    struct filter *filter = bt_self_message_iterator_get_data(self);
    bt_message_array_const theirs;
    bt_message_iterator_next_status status;
    uint64_t given, taken = 0;

    status = bt_message_iterator_next(filter->upstream, &theirs, &given);
    if (status != BT_MESSAGE_ITERATOR_NEXT_STATUS_OK)
        return (bt_message_iterator_class_next_method_status)status;
    *count = 0;
    /* The library gives no more messages than it accepts at a time. */
    for (; taken < given && taken < capacity; taken++) {
        messages[taken] = given_on(filter, theirs[taken]);
        if (!messages[taken])
            break;
        bt_message_put_ref(theirs[taken]);
    }
    if (taken == given) {
        *count = given;
        return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_OK;
    }
    BT_CURRENT_THREAD_ERROR_APPEND_CAUSE_FROM_MESSAGE_ITERATOR(
        self,
        "This is not a trace as LTTng-UST writes them, or memory is short: the names cannot be "
        "put in. Read it without filter.pinsight.names.");
    for (uint64_t i = 0; i < taken; i++)
        bt_message_put_ref(messages[i]);
    for (uint64_t i = taken; i < given; i++)
        bt_message_put_ref(theirs[i]);
    return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_ERROR;
}

static bt_message_iterator_class_initialize_method_status
begin(bt_self_message_iterator *self, bt_self_message_iterator_configuration *configuration,
      bt_self_component_port_output *port) {
    struct filter *filter = pinsight_calloc(1, sizeof(*filter));
    bt_self_component *own = bt_self_message_iterator_borrow_component(self);
    bt_self_component_port_input *in =
        bt_self_component_filter_borrow_input_port_by_index((bt_self_component_filter *)own, 0);
    bt_message_iterator_create_from_message_iterator_status status;

    (void)configuration;
    (void)port;
    filter->self = self;
    status = bt_message_iterator_create_from_message_iterator(self, in, &filter->upstream);
    if (status != BT_MESSAGE_ITERATOR_CREATE_FROM_MESSAGE_ITERATOR_STATUS_OK) {
        free(filter);
        return (bt_message_iterator_class_initialize_method_status)status;
    }
    bt_self_message_iterator_set_data(self, filter);
    return BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

static void finish(bt_self_message_iterator *self) {
    struct filter *filter = bt_self_message_iterator_get_data(self);

    for (size_t i = 0; i < filter->stream_count; i++) {
        bt_packet_put_ref(filter->streams[i].packet);
        bt_stream_put_ref(filter->streams[i].ours);
        bt_stream_put_ref(filter->streams[i].theirs);
    }
    for (size_t i = 0; i < filter->trace_count; i++) {
        bt_trace_put_ref(filter->traces[i].ours);
        bt_trace_put_ref(filter->traces[i].theirs);
    }
    for (size_t i = 0; i < filter->process_count; i++) {
        pinsight_names_clear(&filter->processes[i].names);
        free(filter->processes[i].name);
    }
    bt_message_iterator_put_ref(filter->upstream);
    PINSIGHT_FREE(filter->streams, filter->processes, filter->traces, filter);
}

static bt_component_class_initialize_method_status
initialize(bt_self_component_filter *self, bt_self_component_filter_configuration *configuration,
           const bt_value *params, void *data) {
    (void)configuration;
    (void)params;
    (void)data;
    if (bt_self_component_filter_add_input_port(self, "in", NULL, NULL) ||
        bt_self_component_filter_add_output_port(self, "out", NULL, NULL))
        return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR;
    return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

BT_PLUGIN(pinsight);
BT_PLUGIN_DESCRIPTION("PInsight's traces for other tools");
BT_PLUGIN_LICENSE("BSD-3-Clause");
BT_PLUGIN_FILTER_COMPONENT_CLASS(names, next);
BT_PLUGIN_FILTER_COMPONENT_CLASS_DESCRIPTION(
    names, "Puts names into the events of PInsight that have numbers for them (names = registry).");
BT_PLUGIN_FILTER_COMPONENT_CLASS_INITIALIZE_METHOD(names, initialize);
BT_PLUGIN_FILTER_COMPONENT_CLASS_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD(names, begin);
BT_PLUGIN_FILTER_COMPONENT_CLASS_MESSAGE_ITERATOR_CLASS_FINALIZE_METHOD(names, finish);

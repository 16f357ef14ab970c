/* The sink that merges streams of libbabeltrace2; see babeltrace_sink.h. */
#include "reader/ctf/babeltrace_sink.h"

#include "base/memory.h"
#include "base/safe_files.h"
#include "reader/ctf/babeltrace.h"
#include "reader/ctf/instance.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bt_component_class_initialize_method_status
initialize(bt_self_component_sink *self, bt_self_component_sink_configuration *configuration,
           const bt_value *parameters, void *data) {
    struct babeltrace_sink *sink = data;

    (void)configuration;
    (void)parameters;
    for (size_t i = 0; i < sink->stream_count; i++) {
        char name[32];

        snprintf(name, sizeof(name), "in%zu", i);
        if (bt_self_component_sink_add_input_port(self, name, NULL, NULL) !=
            BT_SELF_COMPONENT_ADD_PORT_STATUS_OK)
            return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
    }
    bt_self_component_set_data(bt_self_component_sink_as_self_component(self), sink);
    return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

/* Marks a stream as damaged and reports it once. Takes ownership of `cause` (or NULL). */
static void fail(struct babeltrace_sink *sink, struct babeltrace_stream *stream, char *cause) {
    if (stream->path && pinsight_repair_is_cut(sink->repair, stream->path)) {
        stream->base.failed = true;
        free(cause);
    } else {
        char *real = stream->path ? realpath(stream->path, NULL) : NULL;
        const char *path = real ? real : stream->path ? stream->path : "one stream";
        const char *slash = strrchr(path, '/');

        /* The folder of a copy means nothing to the user. */
        if (slash && pinsight_repair_is_copy(sink->repair, path))
            path = slash + 1;
        pinsight_stream_fail(&sink->merge, &stream->base, path, cause);
        free(real);
    }
}

static bt_component_class_sink_graph_is_configured_method_status
graph_is_configured(bt_self_component_sink *self) {
    struct babeltrace_sink *sink =
        bt_self_component_get_data(bt_self_component_sink_as_self_component(self));

    for (size_t i = 0; i < sink->stream_count; i++) {
        bt_self_component_port_input *port =
            bt_self_component_sink_borrow_input_port_by_index(self, i);

        if (bt_message_iterator_create_from_sink_component(self, port,
                                                           &sink->streams[i].iterator) !=
            BT_MESSAGE_ITERATOR_CREATE_FROM_SINK_COMPONENT_STATUS_OK)
            fail(sink, &sink->streams[i], pinsight_take_error());
    }
    return BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_OK;
}

/* Counts the events that were discarded before the end of a stream's first packet. babeltrace2
 * reports an unknown number (2.0) or nothing (2.1). The packet's head has the number. */
static void note_first(struct babeltrace_sink *sink, struct babeltrace_stream *stream) {
    struct pinsight_packets packets = {0};
    int fd;

    fd = stream->path ? pinsight_open_safely(stream->path) : -1;
    if (fd >= 0) {
        packets = pinsight_packets_scan(fd, PINSIGHT_PACKET_HEAD);
        close(fd);
    }
    stream->first_discards_known = packets.is_known;
    pinsight_stream_first(&sink->merge, &stream->base, stream->path, packets);
}

static void note_end(struct babeltrace_sink *sink, const bt_message *message) {
    const bt_packet *packet = bt_message_packet_end_borrow_packet_const(message);
    const bt_stream_class *class =
        bt_stream_borrow_class_const(bt_packet_borrow_stream_const(packet));

    if (bt_stream_class_packets_have_end_default_clock_snapshot(class))
        pinsight_stream_until(
            &sink->merge, pinsight_snapshot_ns(
                              bt_message_packet_end_borrow_default_clock_snapshot_const(message)));
}

static void note_discards(struct babeltrace_sink *sink, struct babeltrace_stream *stream,
                          const bt_message *message) {
    uint64_t count;

    if (bt_message_discarded_events_get_count(message, &count) ==
        BT_PROPERTY_AVAILABILITY_AVAILABLE)
        pinsight_stream_discards(&sink->merge, &stream->base, count);
    else if (stream->discards_seen || !stream->first_discards_known)
        sink->merge.result->unclear_discards = true;
    stream->discards_seen = true;
}

static void note_overwritten(struct babeltrace_sink *sink, const struct babeltrace_stream *stream,
                             const bt_message *message) {
    uint64_t count = 0;
    bool known = bt_message_discarded_packets_get_count(message, &count) ==
                 BT_PROPERTY_AVAILABILITY_AVAILABLE;

    pinsight_stream_overwritten(&sink->merge, &stream->base, known, count);
}

/* Notes the process of a stream. */
static void note_instance(struct babeltrace_stream *stream, const bt_message *message) {
    const bt_trace *trace =
        bt_stream_borrow_trace_const(bt_message_stream_beginning_borrow_stream_const(message));
    const bt_value *vpid = bt_trace_borrow_environment_entry_value_by_name_const(trace, "vpid");
    const bt_value *tracer =
        bt_trace_borrow_environment_entry_value_by_name_const(trace, "tracer_name");
    const bool is_ours = tracer && bt_value_is_string(tracer) &&
                         strcmp(bt_value_string_get(tracer), "pinsight") == 0;
    const char *name = bt_stream_get_name(bt_message_stream_beginning_borrow_stream_const(message));
    const char *slash;

    if (name && !stream->path)
        stream->path = pinsight_strdup(name);
    slash = stream->path ? strrchr(stream->path, '/') : NULL;
    if (slash)
        stream->base.event.instance = pinsight_instance_of(
            bt_trace_get_uuid(trace), slash + 1, is_ours, vpid && bt_value_is_signed_integer(vpid));
}

/* Notes a message that is not an event. */
static void note(struct babeltrace_sink *sink, struct babeltrace_stream *stream,
                 const bt_message *message) {
    if (bt_message_get_type(message) == BT_MESSAGE_TYPE_STREAM_BEGINNING)
        note_instance(stream, message);
    if (stream->base.earlier)
        return;
    switch (bt_message_get_type(message)) {
    case BT_MESSAGE_TYPE_STREAM_BEGINNING:
        note_first(sink, stream);
        break;
    case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
        note_discards(sink, stream, message);
        break;
    case BT_MESSAGE_TYPE_PACKET_END:
        note_end(sink, message);
        break;
    case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
        note_overwritten(sink, stream, message);
        break;
    default:
        break;
    }
}

static void take_event(struct babeltrace_sink *sink, struct babeltrace_stream *stream,
                       const bt_message *message) {
    const bt_event *event = bt_message_event_borrow_event_const(message);
    const struct babeltrace_class *class =
        babeltrace_class_of(&sink->classes, &sink->merge.bindings, event);

    stream->base.event.ns =
        class->binding->has_clock
            ? pinsight_snapshot_ns(bt_message_event_borrow_default_clock_snapshot_const(message))
            : 0;
    babeltrace_record_event(&stream->record, class, event, &stream->base.event);
    stream->base.rank = !class->binding->definition;
}

/* Ends a stream with more events than bytes. By a damaged description, its events have no size and
 * never end. */
static bool end_endless(struct babeltrace_sink *sink, struct babeltrace_stream *stream) {
    for (; stream->next < stream->count; stream->next++)
        bt_message_put_ref(stream->messages[stream->next]);
    stream->next = stream->count = 0;
    fail(sink, stream, pinsight_strdup("its events, as the metadata describes them, take no room"));
    return false;
}

/* Advances a stream to its next event, which is copied. Returns false at the end. */
static bool advance(struct pinsight_merge *merge, struct pinsight_stream *base) {
    struct babeltrace_sink *sink = (struct babeltrace_sink *)merge;
    struct babeltrace_stream *stream = (struct babeltrace_stream *)base;

    for (;;) {
        bt_message_iterator_next_status status;

        for (; stream->next < stream->count; stream->next++) {
            const bt_message *message = stream->messages[stream->next];

            if (bt_message_get_type(message) == BT_MESSAGE_TYPE_EVENT) {
                if (++stream->events > sink->most_events)
                    break;
                take_event(sink, stream, message);
                bt_message_put_ref(message);
                stream->next++;
                return true;
            }
            note(sink, stream, message);
            bt_message_put_ref(message);
        }
        if (stream->next < stream->count)
            return end_endless(sink, stream);
        stream->next = stream->count = 0;
        if (!stream->iterator || stream->base.failed)
            return false;
        /* For some damage, the source leaves an error behind and continues. The next call would end
         * the process because of it. */
        bt_current_thread_clear_error();
        status = bt_message_iterator_next(stream->iterator, &stream->messages, &stream->count);
        switch (status) {
        case BT_MESSAGE_ITERATOR_NEXT_STATUS_OK:
            bt_current_thread_clear_error();
            break;
        case BT_MESSAGE_ITERATOR_NEXT_STATUS_AGAIN:
            stream->count = 0;
            break;
        case BT_MESSAGE_ITERATOR_NEXT_STATUS_END:
            stream->count = 0;
            return false;
        default:
            stream->count = 0;
            fail(sink, stream, pinsight_take_error());
            return false;
        }
    }
}

static bool resume(struct babeltrace_sink *sink) {
    if (!sink->started) {
        struct pinsight_stream **streams = pinsight_calloc(sink->stream_count, sizeof(*streams));

        sink->started = true;
        sink->merge.advance = advance;
        for (size_t i = 0; i < sink->stream_count; i++)
            streams[i] = &sink->streams[i].base;
        pinsight_merge_start(&sink->merge, streams, sink->stream_count);
        free(streams);
    }
    return pinsight_merge_some(&sink->merge);
}

static bt_component_class_sink_consume_method_status consume(bt_self_component_sink *self) {
    struct babeltrace_sink *sink =
        bt_self_component_get_data(bt_self_component_sink_as_self_component(self));

    return resume(sink) ? BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_OK
                        : BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_END;
}

/* Releases everything that belongs to the graph. */
static void finalize(bt_self_component_sink *self) {
    struct babeltrace_sink *sink =
        bt_self_component_get_data(bt_self_component_sink_as_self_component(self));

    if (!sink)
        return;
    for (size_t i = 0; i < sink->stream_count; i++) {
        struct babeltrace_stream *stream = &sink->streams[i];

        for (; stream->next < stream->count; stream->next++)
            bt_message_put_ref(stream->messages[stream->next]);
        if (stream->iterator)
            bt_message_iterator_put_ref(stream->iterator);
        stream->iterator = NULL;
        stream->next = stream->count = 0;
    }
    babeltrace_classes_clear(&sink->classes);
}

bt_component_class_sink *babeltrace_sink_class(void) {
    bt_component_class_sink *class = bt_component_class_sink_create("pinsight", consume);

    if (!class)
        return NULL;
    bt_component_class_sink_set_initialize_method(class, initialize);
    bt_component_class_sink_set_graph_is_configured_method(class, graph_is_configured);
    bt_component_class_sink_set_finalize_method(class, finalize);
    return class;
}

void babeltrace_sink_clear(struct babeltrace_sink *sink) {
    for (size_t i = 0; i < sink->stream_count; i++) {
        free(sink->streams[i].path);
        free(sink->streams[i].record.bytes);
    }
    free(sink->streams);
    pinsight_merge_clear(&sink->merge);
    *sink = (struct babeltrace_sink){0};
}

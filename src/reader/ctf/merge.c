/* The sink that merges streams. */
#include "reader/ctf/merge.h"

#include "base/memory.h"
#include "reader/ctf/babeltrace.h"
#include "reader/ctf/chunks.h"
#include "reader/ctf/guard.h"
#include "reader/ctf/packet.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* More events than a stream discards between two packets. */
#define MOST_DISCARDS (UINT64_C(1) << 48)
/* How many events one call of consume takes, between looks at the interrupter. */
#define EVENTS_A_TURN 65536

static bt_component_class_initialize_method_status
initialize(bt_self_component_sink *self, bt_self_component_sink_configuration *configuration,
           const bt_value *parameters, void *data) {
    struct pinsight_merge *merge = data;

    (void)configuration;
    (void)parameters;
    for (size_t i = 0; i < merge->stream_count; i++) {
        char name[32];

        snprintf(name, sizeof(name), "in%zu", i);
        if (bt_self_component_sink_add_input_port(self, name, NULL, NULL) !=
            BT_SELF_COMPONENT_ADD_PORT_STATUS_OK)
            return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
    }
    bt_self_component_set_data(bt_self_component_sink_as_self_component(self), merge);
    return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

/* Marks a stream as damaged and says so once. Takes over cause (or NULL). */
static void fail(struct pinsight_merge *merge, struct pinsight_stream *stream, char *cause) {
    stream->failed = true;
    if (stream->earlier) {
        free(cause);
        return;
    }
    if (!stream->path || !pinsight_repair_is_cut(merge->repair, stream->path)) {
        char *real = stream->path ? realpath(stream->path, NULL) : NULL;
        const char *path = real ? real : stream->path ? stream->path : "one stream";
        const char *slash = strrchr(path, '/');

        /* A copy's folder is of no interest to the user. */
        if (slash && pinsight_repair_is_copy(merge->repair, path))
            path = slash + 1;
        merge->result->damaged_streams++;
        pinsight_source_warn(merge->result,
                             pinsight_format("%s is damaged; what stands before the damage is "
                                             "reported (%s)",
                                             path, cause ? cause : "no cause given"));
        free(real);
    }
    free(cause);
}

static bt_component_class_sink_graph_is_configured_method_status
graph_is_configured(bt_self_component_sink *self) {
    struct pinsight_merge *merge =
        bt_self_component_get_data(bt_self_component_sink_as_self_component(self));

    for (size_t i = 0; i < merge->stream_count; i++) {
        bt_self_component_port_input *port =
            bt_self_component_sink_borrow_input_port_by_index(self, i);

        if (bt_message_iterator_create_from_sink_component(self, port,
                                                           &merge->streams[i].iterator) !=
            BT_MESSAGE_ITERATOR_CREATE_FROM_SINK_COMPONENT_STATUS_OK)
            fail(merge, &merge->streams[i], pinsight_take_error());
    }
    return BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_OK;
}

static void count_discards(struct pinsight_merge *merge, const struct pinsight_stream *stream,
                           uint64_t count) {
    merge->result->discarded_events += count;
    if (stream->account)
        stream->account->discarded += count;
}

/* Events that were discarded before the first packet of a stream ended: babeltrace2 says that there
 * are some (2.0) or nothing (2.1), and the packet's head says how many. */
static void note_first_discards(struct pinsight_merge *merge, struct pinsight_stream *stream) {
    struct pinsight_packets packets = {0};
    int fd = stream->path ? open(stream->path, O_RDONLY | O_CLOEXEC) : -1;

    if (fd >= 0) {
        packets = pinsight_packets_scan(fd, PINSIGHT_PACKET_HEAD);
        close(fd);
    }
    stream->first_discards_known = packets.is_known;
    if (packets.is_known && packets.first_sequence > 0) {
        merge->result->later_chunk = true;
        packets.first_discarded -= pinsight_chunks_discarded_before(stream->path, &packets);
    }
    count_discards(merge, stream, packets.first_discarded);
}

/* A packet is closed when it is full, and at last when the session stops. */
static void note_end(struct pinsight_merge *merge, const bt_message *message) {
    const bt_packet *packet = bt_message_packet_end_borrow_packet_const(message);
    const bt_stream_class *class =
        bt_stream_borrow_class_const(bt_packet_borrow_stream_const(packet));
    uint64_t ns;

    if (!bt_stream_class_packets_have_end_default_clock_snapshot(class))
        return;
    ns = pinsight_clock_ns(bt_message_packet_end_borrow_default_clock_snapshot_const(message));
    if (ns > merge->result->until_ns)
        merge->result->until_ns = ns;
}

/* Adds what a stream discarded since its packet before. What the packets tell are counts since the
 * session's start, of which babeltrace2 gives the differences; on a busy machine LTTng tells 0 in
 * one between: then the difference is less than 0, which wraps, and the next one makes good for it.
 * So does it for one that is larger than any count can be. */
static void add_discards(struct pinsight_merge *merge, struct pinsight_stream *stream,
                         uint64_t difference) {
    stream->discards += difference;
    uint64_t more = stream->discards - stream->most_discards;
    if (more > 0 && more < MOST_DISCARDS) {
        count_discards(merge, stream, more);
        stream->most_discards = stream->discards;
    }
}

/* Takes note of a message that is no event. */
static void note(struct pinsight_merge *merge, struct pinsight_stream *stream,
                 const bt_message *message) {
    const char *name;
    uint64_t count;

    if (stream->earlier)
        return;
    switch (bt_message_get_type(message)) {
    case BT_MESSAGE_TYPE_STREAM_BEGINNING:
        name = bt_stream_get_name(bt_message_stream_beginning_borrow_stream_const(message));
        if (name && !stream->path)
            stream->path = pinsight_strdup(name);
        note_first_discards(merge, stream);
        break;
    case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
        if (bt_message_discarded_events_get_count(message, &count) ==
            BT_PROPERTY_AVAILABILITY_AVAILABLE)
            add_discards(merge, stream, count);
        else if (stream->discards_seen || !stream->first_discards_known)
            merge->result->unclear_discards = true;
        stream->discards_seen = true;
        break;
    case BT_MESSAGE_TYPE_PACKET_END:
        note_end(merge, message);
        break;
    case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
        if (stream->account)
            stream->account->unclear = true;
        if (bt_message_discarded_packets_get_count(message, &count) ==
            BT_PROPERTY_AVAILABILITY_AVAILABLE)
            merge->result->discarded_packets += count;
        else
            merge->result->unclear_discards = true;
        break;
    default:
        break;
    }
}

static void take_event(struct pinsight_merge *merge, struct pinsight_stream *stream,
                       const bt_message *message) {
    const bt_event *event = bt_message_event_borrow_event_const(message);
    const struct pinsight_binding *binding = pinsight_binding_of(&merge->bindings, event);

    stream->event = (struct pinsight_event){
        .ns = binding->has_clock
                  ? pinsight_clock_ns(bt_message_event_borrow_default_clock_snapshot_const(message))
                  : 0,
        .binding = binding,
        .event = event,
        .payload = binding->id == PINSIGHT_EVENT_UNKNOWN
                       ? NULL
                       : bt_event_borrow_payload_field_const(event),
    };
    stream->rank = !binding->definition;
}

/* A stream with more events than bytes: by a damaged description they take no room, and never end.
 */
static bool end_endless(struct pinsight_merge *merge, struct pinsight_stream *stream) {
    for (; stream->next < stream->count; stream->next++)
        bt_message_put_ref(stream->messages[stream->next]);
    stream->next = stream->count = 0;
    fail(merge, stream,
         pinsight_strdup("its events, as the metadata describes them, take no room"));
    return false;
}

/* Moves a stream to its next event; false at its end. The event that it stood at is let go. */
static bool advance(struct pinsight_merge *merge, struct pinsight_stream *stream) {
    if (stream->event.event) {
        bt_message_put_ref(stream->messages[stream->next++]);
        stream->event.event = NULL;
    }
    for (;;) {
        bt_message_iterator_next_status status;

        for (; stream->next < stream->count; stream->next++) {
            const bt_message *message = stream->messages[stream->next];

            if (bt_message_get_type(message) == BT_MESSAGE_TYPE_EVENT) {
                if (++stream->events > merge->most_events)
                    break;
                take_event(merge, stream, message);
                return true;
            }
            note(merge, stream, message);
            bt_message_put_ref(message);
        }
        if (stream->next < stream->count)
            return end_endless(merge, stream);
        stream->next = stream->count = 0;
        if (!stream->iterator || stream->failed)
            return false;
        /* At some damage the source leaves an error behind and goes on; any next call would end the
         * process over it. */
        bt_current_thread_clear_error();
        pinsight_guard_enter();
        status = bt_message_iterator_next(stream->iterator, &stream->messages, &stream->count);
        pinsight_guard_leave();
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
            fail(merge, stream, pinsight_take_error());
            return false;
        }
    }
}

static inline bool before(const struct pinsight_stream *a, const struct pinsight_stream *b) {
    if (a->event.ns != b->event.ns)
        return a->event.ns < b->event.ns;
    if (a->rank != b->rank)
        return a->rank < b->rank;
    return a < b;
}

/* Lets the stream at a place of the heap sink to where it belongs. */
static void sift_down(struct pinsight_merge *merge, size_t at) {
    struct pinsight_stream *stream = merge->heap[at];

    for (;;) {
        size_t child = 2 * at + 1;

        if (child >= merge->heap_count)
            break;
        if (child + 1 < merge->heap_count && before(merge->heap[child + 1], merge->heap[child]))
            child++;
        if (!before(merge->heap[child], stream))
            break;
        merge->heap[at] = merge->heap[child];
        at = child;
    }
    merge->heap[at] = stream;
}

static void start(struct pinsight_merge *merge) {
    merge->started = true;
    merge->heap = pinsight_calloc(merge->stream_count, sizeof(struct pinsight_stream *));
    for (size_t i = 0; i < merge->stream_count; i++)
        if (advance(merge, &merge->streams[i]))
            merge->heap[merge->heap_count++] = &merge->streams[i];
    for (size_t i = merge->heap_count / 2; i-- > 0;)
        sift_down(merge, i);
}

/* Whether an event names something that later chunks refer to. */
static bool is_name(const struct pinsight_event *event) {
    const struct reader_domain *domain = event->binding->domain;
    const enum pinsight_event_id *name = domain ? domain->names : NULL;

    while (name && *name != PINSIGHT_EVENT_UNKNOWN)
        if (*name++ == event->binding->id)
            return true;
    return false;
}

/* Hands on the event that a stream stands at; returns what comes back. */
static int hand_on(struct pinsight_merge *merge, const struct pinsight_stream *stream) {
    const struct pinsight_source_options *options = merge->options;
    struct pinsight_event event = stream->event;

    if (stream->earlier) {
        event.earlier = true;
        event.ns = 0;
        return is_name(&event) ? options->on_event(options->data, &event) : 0;
    }
    merge->result->events++;
    if (stream->account)
        pinsight_account_add(stream->account, &stream->event);
    if (event.binding->id != PINSIGHT_EVENT_UNKNOWN)
        merge->result->known_events++;
    return options->on_event(options->data, &stream->event);
}

static bt_component_class_sink_consume_method_status consume_some(struct pinsight_merge *merge) {
    const struct pinsight_source_options *options = merge->options;

    if (!merge->started)
        start(merge);
    for (unsigned i = 0; i < EVENTS_A_TURN && merge->heap_count; i++) {
        struct pinsight_stream *stream = merge->heap[0];

        if (hand_on(merge, stream) != 0) {
            merge->ended_early = true;
            return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_END;
        }
        if (!advance(merge, stream))
            merge->heap[0] = merge->heap[--merge->heap_count];
        if (merge->heap_count)
            sift_down(merge, 0);
    }
    if (options->stop && *options->stop) {
        merge->result->stopped = true;
        return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_END;
    }
    if (options->on_progress)
        options->on_progress(options->data, merge->result->events, 0);
    return merge->heap_count ? BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_OK
                             : BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_END;
}

static bt_component_class_sink_consume_method_status consume(bt_self_component_sink *self) {
    bt_component_class_sink_consume_method_status status;

    pinsight_guard_leave();
    status =
        consume_some(bt_self_component_get_data(bt_self_component_sink_as_self_component(self)));
    pinsight_guard_enter();
    return status;
}

/* Lets go of everything that belongs to the graph, which is going. */
static void finalize(bt_self_component_sink *self) {
    struct pinsight_merge *merge =
        bt_self_component_get_data(bt_self_component_sink_as_self_component(self));

    if (!merge)
        return;
    for (size_t i = 0; i < merge->stream_count; i++) {
        struct pinsight_stream *stream = &merge->streams[i];

        for (; stream->next < stream->count; stream->next++)
            bt_message_put_ref(stream->messages[stream->next]);
        if (stream->iterator)
            bt_message_iterator_put_ref(stream->iterator);
        stream->iterator = NULL;
        stream->next = stream->count = 0;
    }
    pinsight_bindings_clear(&merge->bindings);
}

bt_component_class_sink *pinsight_merge_class(void) {
    bt_component_class_sink *class = bt_component_class_sink_create("pinsight", consume);

    if (!class)
        return NULL;
    bt_component_class_sink_set_initialize_method(class, initialize);
    bt_component_class_sink_set_graph_is_configured_method(class, graph_is_configured);
    bt_component_class_sink_set_finalize_method(class, finalize);
    return class;
}

void pinsight_merge_clear(struct pinsight_merge *merge) {
    for (size_t i = 0; i < merge->stream_count; i++)
        free(merge->streams[i].path);
    free(merge->streams);
    free(merge->accounts);
    free(merge->heap);
    *merge = (struct pinsight_merge){0};
}

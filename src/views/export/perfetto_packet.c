/* Writes a Perfetto trace; see perfetto_packet.h. */
#include "views/export/perfetto_packet.h"

#include "base/escape.h"

#include <stdlib.h>
#include <string.h>

/* Numbers of fields in Perfetto's definitions, by message. */
enum { TRACE_PACKET = 1 };
enum { /* TracePacket */
       PACKET_CLOCKS = 6,
       PACKET_TIMESTAMP = 8,
       PACKET_SEQUENCE = 10,
       PACKET_EVENT = 11,
       PACKET_INTERNED = 12,
       PACKET_FLAGS = 13,
       PACKET_TRACK = 60,
       PACKET_FIRST = 87,
};
enum { /* TracePacket.SequenceFlags */
       FLAG_NAMES_START = 1,
       FLAG_NEEDS_NAMES = 2,
};
enum { /* TrackEvent */
       EVENT_CATEGORY = 3,
       EVENT_DETAIL = 4,
       EVENT_TYPE = 9,
       EVENT_NAME = 10,
       EVENT_TRACK = 11,
       EVENT_BESIDE_VALUE = 12,
       EVENT_VALUE = 30,
       EVENT_BESIDE_TRACK = 31,
       EVENT_REAL = 44,
       EVENT_FLOW = 47,
       EVENT_LAST_OF_FLOW = 48,
};
enum { /* DebugAnnotation */
       DETAIL_NAME = 1,
       DETAIL_BOOL = 2,
       DETAIL_UINT = 3,
       DETAIL_INT = 4,
       DETAIL_POINTER = 7,
       DETAIL_STRING = 17,
};
enum { /* TrackDescriptor */
       TRACK_UUID = 1,
       TRACK_NAME = 2,
       TRACK_PROCESS = 3,
       TRACK_THREAD = 4,
       TRACK_PARENT = 5,
       TRACK_COUNTER = 8,
       TRACK_RANK = 12,
       TRACK_PROCESS_ORDER = 19,
       TRACK_THREAD_ORDER = 20,
};
enum { ORDER_EXPLICIT = 1 }; /* TrackDescriptor.ProcessOrdering, .ThreadOrdering */
enum { PROCESS_PID = 1, PROCESS_COMMAND = 2, PROCESS_SORT = 3, PROCESS_NAME = 6 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_SORT = 3, THREAD_NAME = 5 };
enum { COUNTER_UNIT = 6 };
enum { CLOCKS_CLOCK = 1, CLOCK_ID = 1, CLOCK_TIMESTAMP = 2 };
enum { CLOCK_REAL_TIME = 1, CLOCK_OF_TIMESTAMPS = 6 }; /* the default of TracePacket.timestamp */
/* InternedData, and EventCategory, EventName, DebugAnnotationName and InternedString in it. */
static const uint8_t interned[PINSIGHT_PERFETTO_NAMES] = {1, 2, 3, 29};
enum { NAME_NUMBER = 1, NAME_TEXT = 2 };

enum { THE_SEQUENCE = 1 };

/* The size in bytes that is written together, because an fwrite() for each packet takes as long as
 * the packet. */
enum { WRITTEN_AT_ONCE = 1 << 16 };

void pinsight_perfetto_open(struct pinsight_perfetto *perfetto, FILE *out) {
    *perfetto = (struct pinsight_perfetto){.out = out};
}

void pinsight_perfetto_clear(struct pinsight_perfetto *perfetto) {
    for (size_t kind = 0; kind < PINSIGHT_PERFETTO_NAMES; kind++)
        pinsight_map_clear(&perfetto->names[kind]);
    PINSIGHT_FREE(perfetto->packet.bytes, perfetto->event.bytes, perfetto->added.bytes,
                  perfetto->written.bytes);
    *perfetto = (struct pinsight_perfetto){0};
}

/* Writes a text as a string field. Bytes outside UTF-8 become \xNN. */
static void put_text(struct pinsight_bytes *message, uint32_t field, const char *text) {
    char *valid = pinsight_escape_if(text, NULL);

    pinsight_put_bytes(message, field, valid, strlen(valid));
    free(valid);
}

static void begin_packet(struct pinsight_perfetto *perfetto) {
    perfetto->packet.size = perfetto->event.size = perfetto->added.size = 0;
    perfetto->refers = false;
}

/* Ends a packet whose contents are complete, and writes it. */
static void write_packet(struct pinsight_perfetto *perfetto) {
    struct pinsight_bytes *packet = &perfetto->packet;
    uint64_t flags =
        (perfetto->begun ? 0 : FLAG_NAMES_START) | (perfetto->refers ? FLAG_NEEDS_NAMES : 0);

    pinsight_put(packet, PACKET_SEQUENCE, THE_SEQUENCE);
    if (flags)
        pinsight_put(packet, PACKET_FLAGS, flags);
    if (!perfetto->begun)
        pinsight_put(packet, PACKET_FIRST, true);
    perfetto->begun = true;
    pinsight_put_message(&perfetto->written, TRACE_PACKET, packet);
    if (perfetto->written.size >= WRITTEN_AT_ONCE)
        pinsight_perfetto_flush(perfetto);
}

void pinsight_perfetto_flush(struct pinsight_perfetto *perfetto) {
    if (perfetto->written.size)
        fwrite(perfetto->written.bytes, 1, perfetto->written.size, perfetto->out);
    perfetto->written.size = 0;
}

void pinsight_perfetto_write(struct pinsight_perfetto *perfetto) {
    pinsight_put(&perfetto->packet, PACKET_TIMESTAMP, perfetto->ns);
    pinsight_put_message(&perfetto->packet, PACKET_EVENT, &perfetto->event);
    pinsight_put_message(&perfetto->packet, PACKET_INTERNED, &perfetto->added);
    write_packet(perfetto);
}

/* Returns the number of a text. A new text is added to the packet. */
static uint64_t intern(struct pinsight_perfetto *perfetto, enum pinsight_perfetto_names kind,
                       const char *text) {
    struct pinsight_map *map = &perfetto->names[kind];
    uint32_t number = pinsight_map_get64(map, (uintptr_t)text);
    struct pinsight_bytes name = {0};

    perfetto->refers = true;
    if (number != PINSIGHT_MAP_NONE)
        return number;
    number = ++perfetto->name_count[kind];
    pinsight_map_set64(map, (uintptr_t)text, number);
    pinsight_put(&name, NAME_NUMBER, number);
    put_text(&name, NAME_TEXT, text);
    pinsight_put_message(&perfetto->added, interned[kind], &name);
    free(name.bytes);
    return number;
}

void pinsight_perfetto_event(struct pinsight_perfetto *perfetto, enum pinsight_perfetto_type type,
                             uint64_t track, uint64_t ns) {
    begin_packet(perfetto);
    perfetto->ns = ns;
    pinsight_put(&perfetto->event, EVENT_TYPE, type);
    pinsight_put(&perfetto->event, EVENT_TRACK, track);
}

void pinsight_perfetto_name(struct pinsight_perfetto *perfetto, const char *category,
                            const char *name) {
    pinsight_put(&perfetto->event, EVENT_CATEGORY,
                 intern(perfetto, PINSIGHT_PERFETTO_CATEGORIES, category));
    pinsight_put(&perfetto->event, EVENT_NAME, intern(perfetto, PINSIGHT_PERFETTO_EVENTS, name));
}

static void put_detail(struct pinsight_perfetto *perfetto, const char *key, uint32_t field,
                       uint64_t value) {
    uint8_t bytes[2 * PINSIGHT_FIELD_MOST], *at = bytes;

    at = pinsight_field(at, DETAIL_NAME, PINSIGHT_WIRE_VARINT);
    at = pinsight_varint(at, intern(perfetto, PINSIGHT_PERFETTO_DETAILS, key));
    at = pinsight_field(at, field, PINSIGHT_WIRE_VARINT);
    at = pinsight_varint(at, value);
    pinsight_put_bytes(&perfetto->event, EVENT_DETAIL, bytes, (size_t)(at - bytes));
}

void pinsight_perfetto_detail(struct pinsight_perfetto *perfetto,
                              const struct pinsight_slice_detail *detail) {
    static const uint32_t fields[] = {[PINSIGHT_DETAIL_TEXT] = DETAIL_STRING,
                                      [PINSIGHT_DETAIL_NUMBER] = DETAIL_INT,
                                      [PINSIGHT_DETAIL_SIZE] = DETAIL_UINT,
                                      [PINSIGHT_DETAIL_ADDRESS] = DETAIL_POINTER,
                                      [PINSIGHT_DETAIL_FLAG] = DETAIL_BOOL};

    put_detail(perfetto, detail->key, fields[detail->kind],
               detail->text ? intern(perfetto, PINSIGHT_PERFETTO_VALUES, detail->text)
                            : detail->number);
}

void pinsight_perfetto_leaves(struct pinsight_perfetto *perfetto, uint64_t flow) {
    pinsight_put_fixed(&perfetto->event, EVENT_FLOW, flow);
}

void pinsight_perfetto_arrives(struct pinsight_perfetto *perfetto, uint64_t flow) {
    pinsight_put_fixed(&perfetto->event, EVENT_LAST_OF_FLOW, flow);
}

void pinsight_perfetto_counter_value(struct pinsight_perfetto *perfetto, uint64_t counter,
                                     int64_t value) {
    pinsight_put(&perfetto->event, EVENT_BESIDE_TRACK, counter);
    pinsight_put(&perfetto->event, EVENT_BESIDE_VALUE, (uint64_t)value);
}

void pinsight_perfetto_counter(struct pinsight_perfetto *perfetto, uint64_t track, int64_t value,
                               uint64_t ns) {
    pinsight_perfetto_event(perfetto, PINSIGHT_PERFETTO_COUNTER, track, ns);
    pinsight_put(&perfetto->event, EVENT_VALUE, (uint64_t)value);
    pinsight_perfetto_write(perfetto);
}

void pinsight_perfetto_real(struct pinsight_perfetto *perfetto, uint64_t track, double value,
                            uint64_t ns) {
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    pinsight_perfetto_event(perfetto, PINSIGHT_PERFETTO_COUNTER, track, ns);
    pinsight_put_fixed(&perfetto->event, EVENT_REAL, bits);
    pinsight_perfetto_write(perfetto);
}

void pinsight_perfetto_clock(struct pinsight_perfetto *perfetto, uint64_t ns) {
    struct pinsight_bytes clocks = {0}, clock = {0};

    for (unsigned i = 0; i < 2; i++) {
        clock.size = 0;
        pinsight_put(&clock, CLOCK_ID, i ? CLOCK_REAL_TIME : CLOCK_OF_TIMESTAMPS);
        pinsight_put(&clock, CLOCK_TIMESTAMP, ns);
        pinsight_put_message(&clocks, CLOCKS_CLOCK, &clock);
    }
    begin_packet(perfetto);
    pinsight_put(&perfetto->packet, PACKET_TIMESTAMP, ns);
    pinsight_put_message(&perfetto->packet, PACKET_CLOCKS, &clocks);
    write_packet(perfetto);
    free(clocks.bytes);
    free(clock.bytes);
}

static void write_track(struct pinsight_perfetto *perfetto, struct pinsight_bytes *track) {
    begin_packet(perfetto);
    pinsight_put_message(&perfetto->packet, PACKET_TRACK, track);
    write_packet(perfetto);
    free(track->bytes);
}

void pinsight_perfetto_ordered(struct pinsight_perfetto *perfetto) {
    struct pinsight_bytes track = {0};

    /* The order of processes and threads is a property of track 0, which has no events. */
    pinsight_put(&track, TRACK_UUID, 0);
    pinsight_put(&track, TRACK_PROCESS_ORDER, ORDER_EXPLICIT);
    pinsight_put(&track, TRACK_THREAD_ORDER, ORDER_EXPLICIT);
    write_track(perfetto, &track);
}

void pinsight_perfetto_process(struct pinsight_perfetto *perfetto, uint64_t uuid, int32_t pid,
                               int32_t order, const char *name, const char *command) {
    struct pinsight_bytes track = {0}, process = {0};

    pinsight_put(&process, PROCESS_PID, (uint64_t)pid);
    pinsight_put(&process, PROCESS_SORT, (uint64_t)order); /* for older viewers */
    put_text(&process, PROCESS_NAME, name);
    if (*command)
        put_text(&process, PROCESS_COMMAND, command);
    pinsight_put(&track, TRACK_UUID, uuid);
    pinsight_put(&track, TRACK_RANK, (uint64_t)order);
    pinsight_put_message(&track, TRACK_PROCESS, &process);
    write_track(perfetto, &track);
    free(process.bytes);
}

void pinsight_perfetto_thread(struct pinsight_perfetto *perfetto, uint64_t uuid, uint64_t process,
                              int32_t pid, int32_t tid, int32_t order, const char *name) {
    struct pinsight_bytes track = {0}, thread = {0};

    pinsight_put(&thread, THREAD_PID, (uint64_t)pid);
    pinsight_put(&thread, THREAD_TID, (uint64_t)tid);
    pinsight_put(&thread, THREAD_SORT, (uint64_t)order);
    put_text(&thread, THREAD_NAME, name);
    pinsight_put(&track, TRACK_UUID, uuid);
    pinsight_put(&track, TRACK_PARENT, process);
    pinsight_put(&track, TRACK_RANK, (uint64_t)order);
    pinsight_put_message(&track, TRACK_THREAD, &thread);
    write_track(perfetto, &track);
    free(thread.bytes);
}

void pinsight_perfetto_track(struct pinsight_perfetto *perfetto, uint64_t uuid, uint64_t process,
                             int32_t order, const char *name) {
    struct pinsight_bytes track = {0};

    pinsight_put(&track, TRACK_UUID, uuid);
    pinsight_put(&track, TRACK_PARENT, process);
    pinsight_put(&track, TRACK_RANK, (uint64_t)order);
    put_text(&track, TRACK_NAME, name);
    write_track(perfetto, &track);
}

void pinsight_perfetto_counts(struct pinsight_perfetto *perfetto, uint64_t uuid, uint64_t parent,
                              const char *name, const char *unit) {
    struct pinsight_bytes track = {0}, counter = {0};

    put_text(&counter, COUNTER_UNIT, unit);
    pinsight_put(&track, TRACK_UUID, uuid);
    if (parent)
        pinsight_put(&track, TRACK_PARENT, parent);
    put_text(&track, TRACK_NAME, name);
    pinsight_put_message(&track, TRACK_COUNTER, &counter);
    write_track(perfetto, &track);
    free(counter.bytes);
}

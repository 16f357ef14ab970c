/* The decoder: descriptions of traces, clocks, and events where they stand. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "unit.h"

#include "base/memory.h"
#include "reader/ctf/stream.h"

#define NUMBERS                                                                                    \
    "typealias integer { size = 8; align = 8; } := u8;"                                            \
    "typealias integer { size = 32; align = 8; } := u32;"                                          \
    "typealias integer { size = 64; align = 8; } := unsigned long;"                                \
    "typealias integer { size = 5; align = 1; } := u5;"
#define TRACE "trace { byte_order = le; packet.header := struct { u32 magic; u32 stream_id; }; };"
#define CLOCK "clock { name = \"c\"; freq = 1000000000; offset = 1000; };"
#define TIMES                                                                                      \
    "typealias integer { size = 27; align = 1; map = clock.c.value; } := t27;"                     \
    "typealias integer { size = 64; align = 8; map = clock.c.value; } := t64;"
#define PACKET                                                                                     \
    "packet.context := struct { t64 timestamp_begin; t64 timestamp_end; unsigned long "            \
    "content_size;"                                                                                \
    " unsigned long packet_size; unsigned long packet_seq_num; unsigned long events_discarded;"    \
    " u32 vpid; u32 vtid; };"
#define COMPACT                                                                                    \
    "event.header := struct { enum : u5 { compact = 0 ... 30, extended = 31 } id;"                 \
    " variant <id> { struct { t27 timestamp; } compact; struct { u32 id; t64 timestamp; } "        \
    "extended; } v; } align(8);"
#define STREAM "stream { id = 0; " PACKET COMPACT " };"
#define MARK                                                                                       \
    "event { name = \"pinsight_lttng_ust:mark\"; id = 1; fields := struct { u8 __n_length;"        \
    " u32 _n[ __n_length ]; string _name; u8 tid; }; };"
#define BEGIN                                                                                      \
    "event { name = \"python_pinsight_lttng_ust:begin\"; id = 2; fields := struct { u32 tid; "     \
    "integer { size = 8; signed = true; } code_how; }; };"
#define HEAD NUMBERS TRACE CLOCK TIMES

/* Returns what of a description is not read; NULL if all is. */
static const char *made(struct ctf_trace *trace, const char *text) {
    const char *refused = ctf_trace_make(trace, pinsight_strdup(text));

    return refused ? refused : trace->damage ? trace->damage : trace->unread;
}

static void assert_refused(const char *text) {
    struct ctf_trace trace;

    assert_non_null(made(&trace, text));
    ctf_trace_clear(&trace);
}

static void descriptions(void **state) {
    struct ctf_trace trace;

    (void)state;
    assert_null(made(&trace, HEAD STREAM MARK BEGIN));
    assert_int_equal(trace.stream_count, 1);
    assert_int_equal(trace.streams[0].head, CTF_COMPACT);
    assert_int_equal(trace.streams[0].head_size, 8 + 6 * 8 + 8);
    assert_true(trace.streams[0].class_count >= 3);
    assert_int_equal(trace.streams[0].classes[1].step_count, 2);
    assert_int_equal(trace.streams[0].classes[2].size, 5);
    assert_int_equal(trace.clock.base_ns, 1000);
    ctf_trace_clear(&trace);
    /* Events may be described before their stream, and names of types have blanks. */
    assert_null(made(&trace, HEAD BEGIN STREAM));
    ctf_trace_clear(&trace);
}

static void descriptions_that_are_refused(void **state) {
    static const char *const texts[] = {
        "",
        "trace",
        "trace { byte_order = be; };",
        "trace { byte_order = le; packet.header := struct { u32 magic; }; };",
        "trace { uuid = \"01\"; };",
        "typedef int x;",
        "event { name = 5 5; };",
        "\"text",
        "typealias integer { size = 65; } := x;",
        "typealias integer { size = 0; } := x;",
        "typealias integer { align = 8; } := x;",
        "typealias enum { a } := x;",
        "struct s { struct s { } x; };",
        HEAD MARK,
        HEAD STREAM MARK MARK,
        HEAD STREAM STREAM,
        HEAD CLOCK,
        HEAD "stream { id = 0; " PACKET " };",
        HEAD "stream { id = 0; " COMPACT " };",
        HEAD "stream { " PACKET "event.header := struct { t64 timestamp; }; };",
        HEAD "stream { " PACKET "event.header := struct { string id; }; };",
        HEAD STREAM "event { name = \"a\"; id = 4294967296; fields := struct { }; };",
        HEAD STREAM "event { name = \"a\"; id = -1; fields := struct { }; };",
        HEAD STREAM "event { name = \"a\"; fields := struct { u8 a[ 18446744073709551615 ]; }; };",
        HEAD STREAM "event { name = \"a\"; fields := struct { u8 a[ b ]; }; };",
        HEAD STREAM "event { name = \"a\"; fields := struct { u8 b; struct { } a[ b ]; }; };",
        HEAD STREAM "event { name = \"a\"; fields := struct { u8 b; string a[ b ]; }; };",
        HEAD STREAM "event { name = \"a\"; fields := struct { u5 b; }; };",
        HEAD STREAM "event { name = \"a\"; fields := struct { u8 b; } align(24); };",
        HEAD STREAM "event { name = \"a\"; fields := struct { string b; } align(12); };",
        HEAD STREAM "event { name = \"a\"; fields := struct { variant <b> { u8 c; } d; }; };",
        HEAD STREAM "event { name = \"a\"; fields := struct { enum : u8 { c = 1 } b;"
                    " variant <b> { struct { string d; } c; } e; }; };",
        HEAD STREAM "event { name = \"a\"; fields := struct { integer { size = 8; align = 16; }"
                    " b[ 2 ]; }; };",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct ctf_trace trace;

        if (!made(&trace, texts[i]))
            fail_msg("taken: %s", texts[i]);
        ctf_trace_clear(&trace);
    }
}

/* What stands before the damage is known; an event of an unsupported form takes no other with it.
 */
static void descriptions_that_are_damaged(void **state) {
    static const char odd[] = "event { name = \"odd\"; id = 3; fields := struct { u5 b; }; };";
    struct ctf_trace trace;

    (void)state;
    assert_null(ctf_trace_make(
        &trace, pinsight_strdup(HEAD STREAM MARK "event { name = \"x\"; id = 5 5; };" BEGIN)));
    assert_non_null(trace.damage);
    assert_null(trace.streams[0].classes[2].event);
    assert_non_null(trace.streams[0].classes[1].event);
    ctf_trace_clear(&trace);
    assert_null(ctf_trace_make(&trace, pinsight_format("%s%s%s", HEAD STREAM, odd, MARK)));
    assert_null(trace.damage);
    assert_non_null(trace.unread);
    assert_null(trace.streams[0].classes[3].event);
    assert_non_null(trace.streams[0].classes[3].unread);
    assert_int_equal(trace.streams[0].classes[1].step_count, 2);
    ctf_trace_clear(&trace);
}

/* A structure of two of the one before it, and so on: 2^64 numbers in an event. */
static void structures_of_structures(void **state) {
    char *text = pinsight_strdup(HEAD STREAM "struct s0 { u8 a; };");

    (void)state;
    for (int i = 1; i < 64; i++)
        pinsight_append(&text, "struct s%d { struct s%d a; struct s%d b; };", i, i - 1, i - 1);
    pinsight_append(&text, "event { name = \"a\"; fields := struct s63; };");
    assert_refused(text);
    free(text);
    text = pinsight_strdup(HEAD STREAM "event { name = \"a\"; fields := ");
    for (int i = 0; i < 10000; i++)
        pinsight_append(&text, "struct {");
    assert_refused(text);
    free(text);
}

static void clocks(void **state) {
    struct pinsight_clock clock;

    (void)state;
    pinsight_clock_set(&clock, 1000000000, 5, 7);
    assert_int_equal(pinsight_clock_ns(&clock, 3), 5000000010);
    assert_int_equal(pinsight_clock_ns(&clock, UINT64_MAX), 0);
    pinsight_clock_set(&clock, 2100000000, 1, 0);
    assert_int_equal(pinsight_clock_ns(&clock, 2100000000), 1999999999 + 1);
    assert_int_equal(pinsight_clock_ns(&clock, 2100000000 * UINT64_C(1000000)), 1000001000000000);
    pinsight_clock_set(&clock, 1000, 0, 2);
    assert_int_equal(pinsight_clock_ns(&clock, 3), 5000000);
    pinsight_clock_set(&clock, 1000000000, -5, 0);
    assert_int_equal(pinsight_clock_ns(&clock, 3), 0);
    pinsight_clock_set(&clock, 0, 5, 7);
    assert_int_equal(pinsight_clock_ns(&clock, 3), 0);
    /* The short way and the long one agree, and where the short one ends. */
    for (uint64_t frequency = 1; frequency < 9000000000; frequency = frequency * 3 + 7) {
        struct pinsight_clock always;

        pinsight_clock_set(&clock, frequency, 1700000000, 12345);
        always = clock;
        always.near = 0;
        for (uint64_t cycles = 1; cycles < UINT64_MAX / 9; cycles = cycles * 7 + 3)
            assert_int_equal(pinsight_clock_ns(&clock, cycles), pinsight_clock_ns(&always, cycles));
        for (int by = -2; by < 3; by++)
            assert_int_equal(pinsight_clock_ns(&clock, clock.near + (uint64_t)by),
                             pinsight_clock_ns(&always, clock.near + (uint64_t)by));
    }
    pinsight_clock_set(&clock, 1, INT64_MAX, INT64_MAX);
    assert_int_equal(pinsight_clock_ns(&clock, UINT64_MAX), 0);
}

/* Between two points lies what lies between, and beyond them what the next one says. */
static void clocks_that_are_corrected(void **state) {
    static const struct pinsight_clock_point points[] = {{1000, 100}, {2000, 300}, {3000, -300}};
    static const uint64_t told[][2] = {{0, 100},     {1000, 1100}, {1500, 1700}, {2000, 2300},
                                       {2500, 2500}, {3000, 2700}, {9000, 8700}};
    struct pinsight_clock clock;

    (void)state;
    pinsight_clock_set(&clock, 1000000000, 0, 0);
    pinsight_clock_correct(&clock, points, 3);
    for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++)
        assert_int_equal(pinsight_clock_ns(&clock, told[i][0]), told[i][1]);
    assert_int_equal(pinsight_clock_ns(&clock, UINT64_MAX), 0);
}

/* ---- a stream file ---- */

struct bytes {
    unsigned char at[4096];
    size_t used;
};

static void put(struct bytes *bytes, uint64_t value, size_t size) {
    memcpy(bytes->at + bytes->used, &value, size);
    bytes->used += size;
}

static void put_compact(struct bytes *bytes, unsigned id, uint64_t time) {
    put(bytes, (time & 0x7ffffff) << 5 | id, 4);
}

static void put_begin(struct bytes *bytes, uint64_t time, int how) {
    put_compact(bytes, 2, time);
    put(bytes, 71, 4);
    put(bytes, (uint8_t)how, 1);
}

static void put_mark(struct bytes *bytes, uint64_t time, const char *name) {
    put_compact(bytes, 1, time);
    put(bytes, 2, 1);
    put(bytes, 0, 8);
    memcpy(bytes->at + bytes->used, name, strlen(name) + 1);
    bytes->used += strlen(name) + 1;
    put(bytes, 200, 1);
}

/* Begins a packet; gives where it begins. */
static size_t open_packet(struct bytes *bytes, uint64_t begin, uint64_t sequence,
                          uint64_t discarded) {
    size_t at = bytes->used;

    put(bytes, UINT32_C(0xc1fc1fc1), 4);
    put(bytes, 0, 4);
    put(bytes, begin, 8);
    put(bytes, begin + 5000, 8);
    put(bytes, 0, 8);
    put(bytes, 0, 8);
    put(bytes, sequence, 8);
    put(bytes, discarded, 8);
    put(bytes, 70, 4);
    put(bytes, 71, 4);
    return at;
}

static void close_packet(struct bytes *bytes, size_t at, size_t padding) {
    uint64_t content = (bytes->used - at) * 8, packet = content + padding * 8;

    memcpy(bytes->at + at + 24, &content, 8);
    memcpy(bytes->at + at + 32, &packet, 8);
    bytes->used += padding;
}

struct told {
    struct pinsight_source_result result;
    enum ctf_file_state state;
    char *text; /* of what events came */
};

static int tell(void *data, const struct pinsight_event *event) {
    struct told *told = data;

    pinsight_append(&told->text, "%llu:", (unsigned long long)event->ns);
    assert_int_equal(pinsight_event_vpid(event), 70);
    assert_int_equal(pinsight_event_vtid(event), 71);
    if (event->binding->id == PINSIGHT_EVENT_CORE_MARK)
        pinsight_append(&told->text, "%s ", pinsight_event_text(event, PINSIGHT_CORE_MARK_NAME));
    else
        pinsight_append(&told->text, "%d ",
                        (int)pinsight_event_integer(event, PINSIGHT_PYTHON_BEGIN_CODE_HOW));
    return 0;
}

/* Reads bytes as a stream file of the trace above. */
static struct told read_bytes(const struct bytes *bytes) {
    struct told told = {.text = pinsight_strdup("")};
    const struct pinsight_source_options options = {.on_event = tell, .data = &told};
    struct pinsight_merge merge = {
        .options = &options, .result = &told.result, .advance = ctf_stream_advance};
    struct ctf_stream stream = {.limit = UINT64_MAX};
    struct pinsight_stream *base = &stream.base;
    struct ctf_trace trace;
    struct ctf_file file;
    int fd = memfd_create("stream", MFD_CLOEXEC);
    char *path = pinsight_format("/proc/self/fd/%d", fd);

    assert_true(write(fd, bytes->at, bytes->used) == (ssize_t)bytes->used);
    assert_null(made(&trace, HEAD STREAM MARK BEGIN));
    told.state = ctf_file_open(&file, &trace, path, UINT64_MAX);
    *PINSIGHT_ADD(stream.files, stream.file_count, stream.file_capacity) = file;
    if (told.state == CTF_FILE_WHOLE || told.state == CTF_FILE_CUT) {
        ctf_stream_start(&stream, 3);
        pinsight_merge_start(&merge, &base, 1);
        while (pinsight_merge_some(&merge))
            ;
    }
    ctf_stream_clear(&stream);
    pinsight_merge_clear(&merge);
    ctf_trace_clear(&trace);
    free(path);
    close(fd);
    return told;
}

static void assert_recorded(const struct bytes *bytes, enum ctf_file_state state, const char *text,
                            size_t warnings) {
    struct told told = read_bytes(bytes);

    assert_int_equal(told.state, state);
    assert_string_equal(told.text, text);
    assert_int_equal(told.result.warning_count, warnings);
    pinsight_source_result_clear(&told.result);
    free(told.text);
}

/* Times of 27 bits go round; the long form has all of a time. */
static void events_in_place(void **state) {
    struct bytes bytes = {.used = 0};
    size_t at = open_packet(&bytes, 0x7fffffe, 0, 0);
    struct told told;

    (void)state;
    put_begin(&bytes, 0x7ffffff, -3);
    put_mark(&bytes, 0x8000001, "one");
    close_packet(&bytes, at, 3);
    at = open_packet(&bytes, 0x8000002, 1, 5);
    put(&bytes, 31, 1);
    put(&bytes, 2, 4);
    put(&bytes, UINT64_C(1) << 40, 8);
    put(&bytes, 71, 4);
    put(&bytes, 9, 1);
    put_mark(&bytes, (UINT64_C(1) << 40) + 1, "");
    close_packet(&bytes, at, 0);
    told = read_bytes(&bytes);
    assert_int_equal(told.state, CTF_FILE_WHOLE);
    assert_string_equal(told.text, "134218727:-3 134218729:one 1099511628776:9 1099511628777: ");
    assert_int_equal(told.result.discarded_events, 5);
    assert_int_equal(told.result.until_ns, 0x8000002 + 5000 + 1000);
    pinsight_source_result_clear(&told.result);
    free(told.text);
}

/* A file that ends anywhere: its whole events come, and never another. */
static void files_that_are_cut_off(void **state) {
    struct bytes bytes = {.used = 0};
    size_t at = open_packet(&bytes, 100, 0, 0), first;

    (void)state;
    put_begin(&bytes, 110, 1);
    close_packet(&bytes, at, 0);
    first = bytes.used;
    at = open_packet(&bytes, 200, 1, 0);
    put_mark(&bytes, 210, "abc");
    put_begin(&bytes, 220, 2);
    close_packet(&bytes, at, 8);
    for (size_t size = bytes.used; size-- > 0;) {
        struct bytes cut = bytes;

        cut.used = size;
        assert_recorded(&cut,
                        size == 0       ? CTF_FILE_EMPTY
                        : size < 64     ? CTF_FILE_FOREIGN
                        : size == 64    ? CTF_FILE_LOST
                        : size == first ? CTF_FILE_WHOLE
                                        : CTF_FILE_CUT,
                        size < 64 + 9                ? ""
                        : size < first + 64 + 18     ? "1110:1 "
                        : size < first + 64 + 18 + 9 ? "1110:1 1210:abc "
                                                     : "1110:1 1210:abc 1220:2 ",
                        0);
    }
}

/* Packets that stand twice or behind later ones are read once, at their place, and what is behind
 * them too; what is missing is counted where its recorder does not leave packets out. */
static void packets_in_another_order(void **state) {
    static const struct {
        unsigned char order[6], count;
        uint64_t lost;
        const char *text;
    } cases[] = {
        {{0, 1, 2}, 3, 0, "1110:0 1210:1 1310:2 "},
        {{0, 2, 1}, 3, 0, "1110:0 1210:1 1310:2 "},
        {{2, 1, 0}, 3, 0, "1110:0 1210:1 1310:2 "},
        {{0, 0, 1, 1, 2, 2}, 6, 0, "1110:0 1210:1 1310:2 "},
        {{2, 0, 0}, 3, 1, "1110:0 1310:2 "},
        {{0, 2}, 2, 1, "1110:0 1310:2 "},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (int cut = 0; cut < 2; cut++) {
            struct bytes bytes = {.used = 0};

            for (size_t p = 0; p < cases[i].count; p++) {
                unsigned number = cases[i].order[p];
                size_t at = open_packet(&bytes, 100 + 100 * number, number, 0);
                put_begin(&bytes, 110 + 100 * number, (int)number);
                close_packet(&bytes, at, 0);
            }
            if (cut)
                put(&bytes, UINT32_C(0xc1fc1fc1), 4);
            struct told told = read_bytes(&bytes);
            assert_int_equal(told.state, cut ? CTF_FILE_CUT : CTF_FILE_WHOLE);
            assert_string_equal(told.text, cases[i].text);
            assert_int_equal(told.result.discarded_packets, cases[i].lost);
            pinsight_source_result_clear(&told.result);
            free(told.text);
        }
}

static void packets_that_are_damaged(void **state) {
    struct bytes bytes = {.used = 0}, other;
    size_t at = open_packet(&bytes, 100, 0, 0);

    (void)state;
    put_begin(&bytes, 110, 1);
    put_mark(&bytes, 120, "abc");
    close_packet(&bytes, at, 0);
    /* A number that is not described. */
    other = bytes;
    other.at[64] = 3;
    assert_recorded(&other, CTF_FILE_WHOLE, "", 1);
    /* A text without an end, a sequence that is longer than the packet, content that ends early. */
    other = bytes;
    memset(other.at + other.used - 2, 'x', 2);
    assert_recorded(&other, CTF_FILE_WHOLE, "1110:1 ", 1);
    other = bytes;
    other.at[64 + 9 + 4] = 255;
    assert_recorded(&other, CTF_FILE_WHOLE, "1110:1 ", 1);
    other = bytes;
    other.at[24] -= 8;
    assert_recorded(&other, CTF_FILE_WHOLE, "1110:1 ", 1);
    /* Heads that cannot be right. */
    for (size_t i = 0; i < 8; i++) {
        other = bytes;
        other.at[32 + i] = 0xff;
        assert_recorded(&other, i ? CTF_FILE_CUT : CTF_FILE_FOREIGN, i ? "1110:1 1120:abc " : "",
                        0);
    }
    other = bytes;
    other.at[4] = 1;
    assert_recorded(&other, CTF_FILE_UNKNOWN, "", 0);
}

int main(void) {
    return RUN_TESTS(descriptions, descriptions_that_are_refused, descriptions_that_are_damaged,
                     structures_of_structures, clocks, clocks_that_are_corrected, events_in_place,
                     files_that_are_cut_off, packets_in_another_order, packets_that_are_damaged);
}

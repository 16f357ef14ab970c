/* A stream file of any content, with events of each form: all that it gives can be read. Its first
 * byte chooses the stream of its first packet, which is made to be one. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "reader/ctf/stream.h"
#include "reader/ingest.h"

static const char metadata[] =
    "typealias integer { size = 8; align = 8; } := u8;"
    "typealias integer { size = 16; align = 8; } := u16;"
    "typealias integer { size = 32; align = 8; } := u32;"
    "typealias integer { size = 64; align = 8; } := u64;"
    "typealias integer { size = 5; align = 1; } := u5;"
    "trace { byte_order = le; packet.header := struct { u32 magic; u32 stream_id;"
    "  u64 stream_instance_id; }; };"
    "clock { name = monotonic; freq = 2100000000; offset = 5; };"
    "typealias integer { size = 27; align = 1; map = clock.monotonic.value; } := t27;"
    "typealias integer { size = 32; align = 8; map = clock.monotonic.value; } := t32;"
    "typealias integer { size = 64; align = 8; map = clock.monotonic.value; } := t64;"
    "struct packet { t64 timestamp_begin; t64 timestamp_end; u64 content_size; u64 packet_size;"
    "  u64 packet_seq_num; u64 events_discarded; u32 vpid; u32 vtid; };"
    "stream { id = 0; packet.context := struct packet; event.header := struct {"
    "  enum : u5 { compact = 0 ... 30, extended = 31 } id; variant <id> { struct { t27 timestamp; }"
    "  compact; struct { u32 id; t64 timestamp; } extended; } v; } align(8); };"
    "stream { id = 1; packet.context := struct packet; event.header := struct {"
    "  enum : u16 { compact = 0 ... 65534, extended = 65535 } id; variant <id> {"
    "  struct { t32 timestamp; } compact; struct { u32 id; t64 timestamp; } extended; } v; }"
    "  align(8); event.context := struct { u32 vpid; u32 vtid; }; };"
    "stream { id = 2; packet.context := struct packet; event.header := struct { u8 id; }; };"
    "typealias integer { size = 32; align = 32; } := n32;"
    "typealias integer { size = 64; align = 64; map = clock.monotonic.value; } := n64;"
    "stream { id = 3; packet.context := struct packet; event.header := struct {"
    "  enum : u5 { compact = 0 ... 30, extended = 31 } id; variant <id> { struct { t27 timestamp; }"
    "  compact; struct { n32 id; n64 timestamp; } extended; } v; } align(32);"
    "  event.context := struct { n32 vtid; enum : integer { size = 8; signed = true; } {"
    "  none = -1, number = 0 ... 3, text = 4 } tag; variant <tag> { struct { } none; n32 number;"
    "  string text; } v; n64 cycles; }; };";

#define EVENT(stream)                                                                              \
    "event { name = \"pinsight_lttng_ust:mark\"; id = 1; stream_id = " stream                      \
    "; fields := struct { string _name; u16 __l; struct { u8 a; u16 b; } s[ __l ]; u32 tid; }; };" \
    "event { name = \"python_pinsight_lttng_ust:begin\"; id = 2; stream_id = " stream              \
    "; fields := struct { u32 tid; u32 code_how; }; };"                                            \
    "event { name = \"python_pinsight_lttng_ust:code_info\"; id = 3; stream_id = " stream          \
    "; fields := struct { u32 code; u64 code_id; string qualname; string filename; u32 lineno;"    \
    "  string module; }; };"

static const char events[] = EVENT("0") EVENT("1") EVENT("2") EVENT("3");

static volatile uint64_t sum;

/* Reads all of an event. */
static int take(void *data, const struct pinsight_event *event) {
    uint64_t *count = data;

    sum += (uint64_t)(pinsight_event_vpid(event) + pinsight_event_vtid(event));
    for (unsigned i = 0; i < PINSIGHT_EVENT_MAX_FIELDS; i++)
        sum += (uint64_t)pinsight_event_integer(event, i) + pinsight_event_time(event, i) +
               strlen(pinsight_event_text(event, i));
    ++*count;
    return 0;
}

/* Takes events into a model: by the run where they come so. */
static int ingest(void *data, const struct pinsight_event *event) {
    pinsight_ingest(data, event);
    return 0;
}

static size_t ingest_run(void *data, const struct pinsight_run *run) {
    return run->first->binding->domain->take_run(data, run);
}

/* Returns how many events there are. */
static uint64_t read_file(struct ctf_trace *trace, const char *path,
                          const struct pinsight_source_options *options) {
    struct pinsight_source_result result = {0};
    struct pinsight_merge merge = {.options = options,
                                   .result = &result,
                                   .advance = ctf_stream_advance,
                                   .run = ctf_stream_run,
                                   .skip = ctf_stream_skip};
    uint64_t count;
    struct ctf_stream stream = {.limit = UINT64_MAX};
    struct pinsight_stream *base = &stream.base;
    struct ctf_file file;
    enum ctf_file_state state = ctf_file_open(&file, trace, path, UINT64_MAX);

    *PINSIGHT_ADD(stream.files, stream.file_count, stream.file_capacity) = file;
    if (state == CTF_FILE_WHOLE || state == CTF_FILE_CUT) {
        ctf_stream_start(&stream, CTF_LEAST_BATCH);
        pinsight_merge_start(&merge, &base, 1);
        while (pinsight_merge_some(&merge))
            ;
    }
    count = result.events;
    for (size_t s = 0; s < trace->stream_count; s++)
        for (size_t i = 0; i < trace->streams[s].class_count; i++)
            trace->streams[s].bindings[i] = NULL;
    ctf_stream_clear(&stream);
    pinsight_merge_clear(&merge);
    pinsight_source_result_clear(&result);
    return count;
}

static void read_twice(struct ctf_trace *trace, const char *path, size_t size) {
    const struct pinsight_model_options all = {.thread = -1, .process = -1};
    struct pinsight_model *model = pinsight_model_new(&all);
    uint64_t count = 0;
    const struct pinsight_source_options events = {.on_event = take, .data = &count};
    const struct pinsight_source_options runs = {
        .on_event = ingest, .on_run = ingest_run, .data = model};

    if (read_file(trace, path, &events) != count || count > size ||
        read_file(trace, path, &runs) != count)
        abort();
    pinsight_model_finish(model);
    pinsight_model_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct ctf_trace trace;
    const unsigned char head[8] = {0xc1, 0x1f, 0xfc, 0xc1, size ? data[0] % 4 : 0};
    char path[40];
    int fd;

    if (!trace.text && ctf_trace_make(&trace, pinsight_format("%s%s", metadata, events)))
        abort();
    fd = memfd_create("packets", MFD_CLOEXEC);
    if (fd < 0 || (size && write(fd, data, size) != (ssize_t)size) ||
        (size > sizeof(head) && pwrite(fd, head, sizeof(head), 0) != sizeof(head)))
        abort();
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    read_twice(&trace, path, size);
    close(fd);
    return 0;
}

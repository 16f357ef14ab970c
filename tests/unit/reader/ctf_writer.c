/* The writer of small traces. */
#include "ctf_writer.h"

#include "unit.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const unsigned char uuid[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

static const char head[] =
    "/* CTF 1.8 */\n"
    "typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
    "typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
    "typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
    "typealias integer { size = 64; align = 8; signed = true; } := int64_t;\n"
    "trace { major = 1; minor = 8; uuid = \"01020304-0506-0708-090a-0b0c0d0e0f10\";\n"
    "  byte_order = le; packet.header := struct { uint32_t magic; uint8_t uuid[16];\n"
    "  uint32_t stream_id; uint64_t stream_instance_id; }; };\n"
    "env { hostname = \"here\"; domain = \"ust\"; };\n"
    "clock { name = \"monotonic\"; freq = 1000000000; offset = 0; };\n"
    "typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; }\n"
    "  := clock_t;\n"
    "stream { id = 0; packet.context := struct { clock_t timestamp_begin; clock_t timestamp_end;\n"
    "  uint64_t content_size; uint64_t packet_size; uint64_t packet_seq_num;\n"
    "  uint64_t events_discarded; uint32_t cpu_id; %s};\n"
    "  event.header := struct { uint32_t id; clock_t timestamp; };\n";

const char *ctf_path(const struct ctf_writer *writer, const char *name) {
    static char path[128];

    snprintf(path, sizeof(path), "%s/%s", writer->folder, name);
    return path;
}

/* Whether the packet tells what a field does. */
static bool is_excluded(const struct ctf_writer *writer, const struct pinsight_event_desc *desc,
                        size_t field) {
    return writer->by_threads && !strcmp(desc->domain, "python") &&
           !strcmp(desc->fields[field].name, "tid");
}

static void open_folder(struct ctf_writer *writer, const char *extra) {
    FILE *out;

    strcpy(writer->folder, "/tmp/pinsight-ctf-XXXXXX");
    if (!mkdtemp(writer->folder) || !(out = fopen(ctf_path(writer, "metadata"), "w")))
        abort();
    fprintf(out, head, writer->by_threads ? "uint32_t vpid; uint32_t vtid; " : "");
    if (writer->contexts)
        fputs("  event.context := struct { int64_t _vpid; int64_t _vtid; };\n", out);
    fputs("};\n", out);
    for (int id = 1; id < PINSIGHT_EVENT_COUNT; id++) {
        const struct pinsight_event_desc *desc = &pinsight_event_descs[id];

        fprintf(out, "event { name = \"%s\"; id = %d; stream_id = 0; fields := struct {",
                desc->full_name, id);
        for (size_t i = 0; i < desc->field_count; i++)
            if (!is_excluded(writer, desc, i))
                fprintf(out, " %s _%s;",
                        desc->fields[i].kind == PINSIGHT_FIELD_STRING   ? "string"
                        : desc->fields[i].kind == PINSIGHT_FIELD_SIGNED ? "int64_t"
                                                                        : "uint64_t",
                        desc->fields[i].name);
        fputs(" }; };\n", out);
    }
    fputs("event { name = \"other:event\"; id = 0; stream_id = 0; fields := struct { }; };\n", out);
    if (extra)
        fputs(extra, out);
    fclose(out);
}

void ctf_open(struct ctf_writer *writer, bool contexts, const char *extra) {
    *writer = (struct ctf_writer){.contexts = contexts};
    open_folder(writer, extra);
}

void ctf_open_by_threads(struct ctf_writer *writer) {
    *writer = (struct ctf_writer){.by_threads = true};
    open_folder(writer, NULL);
}

static void put(struct ctf_stream *stream, const void *data, size_t size) {
    if (stream->used + size > CTF_PACKET_SIZE)
        abort();
    memcpy(stream->packet + stream->used, data, size);
    stream->used += size;
}

static void put64(struct ctf_stream *stream, uint64_t value) {
    put(stream, &value, sizeof(value));
}

static void put32(struct ctf_stream *stream, uint32_t value) {
    put(stream, &value, sizeof(value));
}

static void start_packet(struct ctf_writer *writer, int number, uint64_t ns) {
    struct ctf_stream *stream = &writer->streams[number];

    memset(stream->packet, 0, sizeof(stream->packet));
    stream->begin_ns = ns;
    put32(stream, 0xc1fc1fc1);
    put(stream, uuid, sizeof(uuid));
    put32(stream, 0);
    put64(stream, (uint64_t)number);
    stream->used += 6 * 8;
    put32(stream, (uint32_t)number);
    if (writer->by_threads) {
        put32(stream, 100);
        put32(stream, 200 + (uint32_t)number);
    }
}

void ctf_event_of(struct ctf_writer *writer, int number, uint64_t ns, size_t field_count,
                  enum pinsight_event_id id, ...) {
    const struct pinsight_event_desc *desc = &pinsight_event_descs[id];
    struct ctf_stream *stream = &writer->streams[number];
    va_list fields;

    if (!stream->used)
        start_packet(writer, number, ns);
    stream->end_ns = ns;
    put32(stream, (uint32_t)id);
    put64(stream, ns);
    if (writer->contexts) {
        put64(stream, 100);
        put64(stream, 100);
    }
    assert_true(field_count <= desc->field_count);
    va_start(fields, id);
    for (size_t i = 0; i < desc->field_count; i++) {
        if (desc->fields[i].kind == PINSIGHT_FIELD_STRING) {
            const char *text = i < field_count ? va_arg(fields, const char *) : "";

            put(stream, text, strlen(text) + 1);
        } else {
            uint64_t value = i < field_count ? va_arg(fields, uint64_t) : 0;

            if (!is_excluded(writer, desc, i))
                put64(stream, value);
        }
    }
    va_end(fields);
}

void ctf_packet(struct ctf_writer *writer, int number, uint64_t discarded) {
    struct ctf_stream *stream = &writer->streams[number];
    uint64_t context[6];
    char name[16];
    int fd;

    if (!stream->used)
        start_packet(writer, number, stream->end_ns);
    context[0] = stream->begin_ns;
    context[1] = stream->end_ns;
    context[2] = stream->used * 8;
    context[3] = CTF_PACKET_SIZE * 8;
    context[4] = stream->sequence++;
    context[5] = discarded;
    memcpy(stream->packet + 32, context, sizeof(context));
    snprintf(name, sizeof(name), "stream_%d", number);
    fd = open(ctf_path(writer, name), O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (fd < 0 || write(fd, stream->packet, CTF_PACKET_SIZE) != CTF_PACKET_SIZE)
        abort();
    close(fd);
    stream->used = 0;
}

void ctf_close(struct ctf_writer *writer) {
    for (int i = 0; i < CTF_STREAMS; i++)
        if (writer->streams[i].used)
            ctf_packet(writer, i, 0);
}

/* Copies metadata from plain text into a packet, which has the trace's identity in its head. */
static void pack_metadata(const char *from, const char *to) {
    unsigned char head[37] = {0x57, 0x1d, 0xd1, 0x75};
    static char text[1 << 20]; /* MPI has many events */
    FILE *file = fopen(from, "r");
    size_t size = file ? fread(text, 1, sizeof(text), file) : sizeof(text);
    uint32_t bits = (uint32_t)(size + sizeof(head)) * 8;

    if (size == sizeof(text))
        abort();
    fclose(file);
    memcpy(head + 4, uuid, sizeof(uuid));
    memcpy(head + 24, &bits, sizeof(bits));
    memcpy(head + 28, &bits, sizeof(bits));
    head[35] = 1;
    head[36] = 8;
    file = fopen(to, "w");
    if (!file || fwrite(head, 1, sizeof(head), file) != sizeof(head) ||
        fwrite(text, 1, size, file) != size || fclose(file) != 0)
        abort();
}

void ctf_rotate(struct ctf_writer *writer, const char *chunk, uint64_t discarded) {
    char folder[128], path[160], name[16];

    snprintf(folder, sizeof(folder), "%s/archives", writer->folder);
    mkdir(folder, 0700);
    snprintf(folder, sizeof(folder), "%s/archives/%s", writer->folder, chunk);
    if (mkdir(folder, 0700) != 0)
        abort();
    for (int i = 0; i < CTF_STREAMS; i++) {
        if (writer->streams[i].used || (i == 0 && writer->streams[i].sequence))
            ctf_packet(writer, i, i == 0 ? discarded : 0);
        snprintf(name, sizeof(name), "stream_%d", i);
        snprintf(path, sizeof(path), "%s/%s", folder, name);
        rename(ctf_path(writer, name), path);
    }
    snprintf(path, sizeof(path), "%s/metadata", folder);
    pack_metadata(ctf_path(writer, "metadata"), path);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where) {
    (void)st;
    (void)type;
    (void)where;
    return remove(path);
}

void ctf_remove(struct ctf_writer *writer) {
    nftw(writer->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

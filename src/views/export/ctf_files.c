/* Writes the files of a trace in CTF 1.8, like LTTng-UST. Event heads have the large form, and each
 * event has its process and thread as contexts. See ctf.h. */
#include "views/export/ctf.h"

#include "base/memory.h"
#include "base/safe_files.h"
#include "format/metadata.h"
#include "pinsight_version.h"
#include "reader/declarations.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* The size of a packet in bytes, which a large event may exceed. */
#define PACKET_BYTES 65536
#define MAGIC UINT32_C(0xC1FC1FC1)
#define EXTENDED 65535
/* Offsets in a packet: of its instance number, its context, and its events. */
#define INSTANCE_AT 24
#define CONTEXT_AT 32
#define EVENTS_AT 80

static const char format[] =
    "/* CTF 1.8 */\n\n"
    "typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
    "typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n"
    "typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
    "typealias integer { size = 32; align = 8; signed = true; } := int32_t;\n"
    "typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n\n"
    "trace {\n    major = 1;\n    minor = 8;\n    uuid = \"%s\";\n    byte_order = le;\n"
    "    packet.header := struct {\n        uint32_t magic;\n        uint8_t uuid[16];\n"
    "        uint32_t stream_id;\n        uint64_t stream_instance_id;\n    };\n};\n\n"
    "env {\n    domain = \"ust\";\n    tracer_name = \"pinsight\";\n"
    "    pinsight_version = \"%s\";\n    hostname = \"%s\";\n};\n\n"
    "clock {\n    name = \"monotonic\";\n    description = \"Nanoseconds since 1970\";\n"
    "    freq = 1000000000;\n    offset_s = 0;\n    offset = 0;\n    absolute = FALSE;\n};\n\n"
    "typealias integer { size = 32; align = 8; signed = false; map = clock.monotonic.value; } "
    ":= uint32_clock_monotonic_t;\n"
    "typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; } "
    ":= uint64_clock_monotonic_t;\n\n"
    "struct packet_context {\n    uint64_clock_monotonic_t timestamp_begin;\n"
    "    uint64_clock_monotonic_t timestamp_end;\n    uint64_t content_size;\n"
    "    uint64_t packet_size;\n    uint64_t packet_seq_num;\n    uint64_t "
    "events_discarded;\n};\n\n"
    "struct event_header_large {\n"
    "    enum : uint16_t { compact = 0 ... 65534, extended = 65535 } id;\n    variant <id> {\n"
    "        struct {\n            uint32_clock_monotonic_t timestamp;\n        } compact;\n"
    "        struct {\n            uint32_t id;\n            uint64_clock_monotonic_t timestamp;\n"
    "        } extended;\n    } v;\n} align(8);\n\n"
    "stream {\n    id = 0;\n    event.header := struct event_header_large;\n"
    "    packet.context := struct packet_context;\n"
    "    event.context := struct {\n        int32_t _vpid;\n        int32_t _vtid;\n    };\n};\n\n";

/* ---- the folder ---- */

static char *why_not(const char *path) {
    return pinsight_format("cannot write %s: %s", path, strerror(errno));
}

/* Returns a host's name that is safe as the name of a folder, and does not begin with a dot. The
 * caller frees it. */
static char *folder_name(const char *host) {
    char *name = pinsight_strdup(host[0] ? host : "localhost");

    for (char *at = name; *at; at++)
        if (*at == '/' || *at == '"' || *at == '\\' || (unsigned char)*at < ' ' ||
            (at == name && *at == '.'))
            *at = '_';
    return name;
}

static int write_metadata(const char *folder, const char *name, const unsigned char uuid[16]) {
    char *path = pinsight_format("%s/metadata", folder), text[37];
    FILE *file = fopen(path, "we");
    bool failed = !file;

    free(path);
    if (!file)
        return -1;
    pinsight_file_uuid_text(text, uuid);
    fprintf(file, format, text, PINSIGHT_VERSION, name);
    fputs(pinsight_event_declarations, file);
    failed = ferror(file);
    return fclose(file) != 0 || failed ? -1 : 0;
}

static bool make_folder(const char *path, bool may_be_there) {
    errno = pinsight_make_folder(AT_FDCWD, path, 0755);
    return errno == 0 || (may_be_there && errno == EEXIST);
}

char *pinsight_ctf_folder_make(const char *top, const char *host, unsigned char uuid[16],
                               char **error) {
    char *above = pinsight_format("%s/trace", top), *name = folder_name(host);
    char *path = pinsight_format("%s/%s", above, name);

    if (getrandom(uuid, 16, 0) != 16 || !make_folder(above, true) || !make_folder(path, false) ||
        write_metadata(path, name, uuid) != 0) {
        *error = why_not(path);
        free(path);
        path = NULL;
    }
    free(above);
    free(name);
    return path;
}

/* ---- the stream of a process ---- */

static unsigned char *room(struct pinsight_ctf_file *file, size_t bytes) {
    if (file->capacity - file->size < bytes) {
        while (file->capacity - file->size < bytes)
            file->capacity = file->capacity ? 2 * file->capacity : 4096;
        file->bytes = pinsight_realloc(file->bytes, file->capacity, 1);
    }
    file->size += bytes;
    return file->bytes + file->size - bytes;
}

/* Stores a number in little-endian order, and returns the address behind it. */
static unsigned char *store(unsigned char *at, uint64_t value, unsigned bytes) {
    for (; bytes; bytes--, value >>= 8)
        *at++ = (unsigned char)value;
    return at;
}

static void put(struct pinsight_ctf_file *file, uint64_t value, unsigned bytes) {
    store(room(file, bytes), value, bytes);
}

static void put_text(struct pinsight_ctf_file *file, const char *text) {
    size_t length = text ? strlen(text) : 0;
    unsigned char *at = room(file, length + 1);

    if (length)
        memcpy(at, text, length);
    at[length] = '\0';
}

static void begin_packet(struct pinsight_ctf_file *file, uint64_t ns) {
    memset(room(file, EVENTS_AT), 0, EVENTS_AT);
    store(file->bytes, MAGIC, 4);
    memcpy(file->bytes + 4, file->uuid, sizeof(file->uuid));
    store(file->bytes + INSTANCE_AT, file->instance, 8);
    file->begin_ns = ns;
}

static bool write_all(int fd, const unsigned char *bytes, size_t size) {
    while (size) {
        ssize_t written = write(fd, bytes, size);

        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

/* Writes the packet. The file is opened for each packet, because a trace may have more processes
 * than a process may open files. */
static void write_packet(struct pinsight_ctf_file *file) {
    int fd = pinsight_open_to_write(AT_FDCWD, file->path, O_WRONLY | O_APPEND, 0666);

    if ((fd < 0 || !write_all(fd, file->bytes, file->size)) && !file->error)
        file->error = why_not(file->path);
    if (fd >= 0 && close(fd) != 0 && !file->error)
        file->error = why_not(file->path);
}

void pinsight_ctf_file_flush(struct pinsight_ctf_file *file, uint64_t until_ns) {
    unsigned char *at = file->bytes + CONTEXT_AT;

    if (!file->size)
        return;
    at = store(at, file->begin_ns, 8);
    at = store(at, until_ns > file->last_ns ? until_ns : file->last_ns, 8);
    at = store(at, 8 * (uint64_t)file->size, 8);
    at = store(at, 8 * (uint64_t)file->size, 8);
    at = store(at, file->sequence++, 8);
    store(at, file->discarded, 8);
    write_packet(file);
    file->size = 0;
}

void pinsight_ctf_file_go_on(struct pinsight_ctf_file *file, uint64_t ns) {
    file->sequence = 1;
    begin_packet(file, ns);
    pinsight_ctf_file_flush(file, ns);
}

void pinsight_ctf_file_put(struct pinsight_ctf_file *file, const struct pinsight_ctf_event *event) {
    const struct pinsight_event_desc *desc = &pinsight_event_descs[event->id];
    uint64_t ns = event->ns > file->last_ns ? event->ns : file->last_ns; /* in a damaged trace */
    bool first = !file->size;

    if (first)
        begin_packet(file, ns);
    if (first || ns - file->last_ns > UINT32_MAX) {
        put(file, EXTENDED, 2);
        put(file, event->id, 4);
        put(file, ns, 8);
    } else {
        put(file, event->id, 2);
        put(file, ns, 4);
    }
    file->last_ns = ns;
    put(file, (uint64_t)event->vpid, 4);
    put(file, (uint64_t)event->vtid, 4);
    for (unsigned i = 0; i < desc->field_count; i++)
        if (desc->fields[i].kind == PINSIGHT_FIELD_STRING)
            put_text(file, event->values[i].text);
        else
            put(file, event->values[i].number, desc->fields[i].bytes);
    if (file->size >= PACKET_BYTES)
        pinsight_ctf_file_flush(file, 0);
}

void pinsight_ctf_file_end(struct pinsight_ctf_file *file, uint64_t until_ns, uint64_t discarded,
                           uint64_t packets) {
    pinsight_ctf_file_flush(file, until_ns);
    if (!discarded && !packets)
        return;
    if (until_ns > file->last_ns)
        file->last_ns = until_ns;
    begin_packet(file, file->last_ns);
    file->discarded += discarded;
    file->sequence += packets;
    pinsight_ctf_file_flush(file, 0);
}

void pinsight_ctf_file_clear(struct pinsight_ctf_file *file) {
    PINSIGHT_FREE(file->path, file->bytes, file->error);
}

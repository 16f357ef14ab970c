/* Packets in LTTng's layout; see packet.h. */
#include "reader/ctf/packet.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STREAM_MAGIC UINT32_C(0xc1fc1fc1)
#define METADATA_MAGIC UINT32_C(0x75d11d57)
#define METADATA_HEAD 37
/* Positions in a packet's head. */
#define INSTANCE_AT 24
#define BEGIN_AT 32
#define END_AT 40

static uint32_t get32(const unsigned char *at, bool big_endian) {
    uint32_t value;

    memcpy(&value, at, sizeof(value));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    big_endian = !big_endian;
#endif
    return big_endian ? __builtin_bswap32(value) : value;
}

static uint64_t get64(const unsigned char *at, bool big_endian) {
    uint64_t low = get32(at + (big_endian ? 4 : 0), big_endian);
    uint64_t high = get32(at + (big_endian ? 0 : 4), big_endian);

    return high << 32 | low;
}

/* Returns whether a packet's head is possible. A time of all ones is invalid. */
static bool is_sane(const unsigned char *head, bool big_endian) {
    uint64_t begin = get64(head + BEGIN_AT, big_endian), end = get64(head + END_AT, big_endian);
    uint64_t content = get64(head + PINSIGHT_PACKET_CONTENT_AT, big_endian);
    uint64_t packet = get64(head + PINSIGHT_PACKET_CONTENT_AT + 8, big_endian);

    return content <= packet && packet % 8 == 0 && packet / 8 >= PINSIGHT_PACKET_LEAST &&
           content / 8 >= PINSIGHT_PACKET_LEAST && begin <= end && end != UINT64_MAX;
}

struct pinsight_packets pinsight_packets_scan(int fd, uint64_t size) {
    struct pinsight_packets packets = {0};
    unsigned char head[PINSIGHT_PACKET_HEAD];
    uint64_t offset = 0;

    while (offset < size) {
        ssize_t length = pread(fd, head, sizeof(head), (off_t)offset);
        uint64_t content, packet;

        if (length >= 4 && offset == 0) {
            packets.big_endian = get32(head, true) == STREAM_MAGIC;
            packets.is_stream = packets.big_endian || get32(head, false) == STREAM_MAGIC;
        }
        if (length < (ssize_t)sizeof(head) || get32(head, packets.big_endian) != STREAM_MAGIC ||
            !is_sane(head, packets.big_endian))
            break;
        content = get64(head + PINSIGHT_PACKET_CONTENT_AT, packets.big_endian);
        packet = get64(head + PINSIGHT_PACKET_CONTENT_AT + 8, packets.big_endian);
        if (offset == 0) {
            packets.is_known = true;
            packets.first_discarded =
                get64(head + PINSIGHT_PACKET_CONTENT_AT + 24, packets.big_endian);
            packets.first_sequence =
                get64(head + PINSIGHT_PACKET_CONTENT_AT + 16, packets.big_endian);
            packets.instance = get64(head + INSTANCE_AT, packets.big_endian);
        }
        if (packet / 8 > size - offset)
            break;
        packets.last_discarded = get64(head + PINSIGHT_PACKET_CONTENT_AT + 24, packets.big_endian);
        packets.last_sequence = get64(head + PINSIGHT_PACKET_CONTENT_AT + 16, packets.big_endian);
        packets.has_events |= content / 8 > sizeof(head);
        offset += packet / 8;
    }
    packets.whole_size = offset;
    packets.is_whole = packets.is_known && offset == size;
    return packets;
}

/* Joins the content of metadata packets. Returns false if a packet is incomplete. */
static bool join_packets(const unsigned char *data, size_t size, bool big_endian, char *text,
                         size_t *length) {
    size_t offset = 0;

    while (offset < size) {
        uint64_t content, packet;

        if (size - offset < METADATA_HEAD || get32(data + offset, big_endian) != METADATA_MAGIC)
            return false;
        content = get32(data + offset + 24, big_endian) / 8;
        packet = get32(data + offset + 28, big_endian) / 8;
        if (content < METADATA_HEAD || packet < content)
            return false;
        if (packet > size - offset) {
            /* The existing part of the content may have more declarations. */
            if (content > size - offset)
                content = size - offset;
            memcpy(text + *length, data + offset + METADATA_HEAD, content - METADATA_HEAD);
            *length += content - METADATA_HEAD;
            return false;
        }
        memcpy(text + *length, data + offset + METADATA_HEAD, content - METADATA_HEAD);
        *length += content - METADATA_HEAD;
        offset += packet;
    }
    return true;
}

/* Returns the end of a quoted text or a comment that begins at `text`, or `text` if none does. */
static const char *skip_quoted(const char *text) {
    const char *end = NULL;

    if (text[0] == '"') {
        for (text++; *text && *text != '"'; text++)
            if (text[0] == '\\' && text[1])
                text++;
        return *text ? text + 1 : text;
    }
    if (text[0] == '/' && text[1] == '*')
        end = strstr(text + 2, "*/");
    else if (text[0] == '/' && text[1] == '/')
        return text + strcspn(text, "\n");
    else
        return text;
    return end ? end + 2 : text + strlen(text);
}

static bool is_blank(char letter) {
    return letter == ' ' || letter == '\n' || letter == '\t' || letter == '\r';
}

/* Returns the length of the whole declarations at the start of a text: up to the last semicolon
 * outside all braces. Sets *more if a part follows. */
static size_t whole_declarations(const char *text, bool *more) {
    const char *whole = text, *at = text;
    long depth = 0;

    *more = false;
    while (*at) {
        const char *after = skip_quoted(at);

        if (after != at) {
            *more |= *at == '"';
            at = after;
            continue;
        }
        depth += (*at == '{') - (*at == '}');
        if (*at == ';' && depth == 0) {
            whole = at + 1;
            *more = false;
        } else if (!is_blank(*at)) {
            *more = true;
        }
        at++;
    }
    return (size_t)(whole - text);
}

char *pinsight_metadata_text(const unsigned char *data, size_t size, size_t *length,
                             bool *damaged) {
    char *text = pinsight_realloc(NULL, size + 1, 1);
    bool big_endian = size >= 4 && get32(data, true) == METADATA_MAGIC;
    size_t whole;
    bool more;

    *length = 0;
    *damaged = false;
    if (big_endian || (size >= 4 && get32(data, false) == METADATA_MAGIC)) {
        *damaged = !join_packets(data, size, big_endian, text, length);
    } else {
        memcpy(text, data, size);
        *length = size;
    }
    text[*length] = '\0';
    whole = whole_declarations(text, &more);
    if (more || strlen(text) != *length)
        *damaged = true;
    if (*damaged)
        *length = whole;
    text[*length] = '\0';
    if (!strstr(text, "trace {") && !strstr(text, "trace{")) {
        free(text);
        return NULL;
    }
    return text;
}

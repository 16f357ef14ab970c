/*
 * The description of a trace in CTF 1.8: its parsed metadata, a text in TSDL.
 *
 * The parser supports the texts of LTTng-UST 2.12 to 2.14 and of PInsight, and not the whole
 * language; it refuses others. The positions of fields in a stream are computed elsewhere
 * (class.h).
 */
#ifndef PINSIGHT_READER_CTF_TSDL_H
#define PINSIGHT_READER_CTF_TSDL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A part of the text, not ended by a zero byte. */
struct tsdl_word {
    const char *at;
    size_t length;
};

enum tsdl_kind {
    TSDL_NONE,
    TSDL_INTEGER, /* also an enumeration */
    TSDL_FLOAT,
    TSDL_STRING,
    TSDL_STRUCT,
    TSDL_VARIANT,
    TSDL_ARRAY,
    TSDL_SEQUENCE,
};

struct tsdl_type {
    uint8_t kind; /* enum tsdl_kind */
    bool is_signed, is_clock, is_enum;
    bool is_big;           /* a number with its most significant byte first */
    uint32_t bits, align;  /* of a number; the alignment (in bits) also of what contains numbers */
    uint32_t first, last;  /* members of a structure or a variant; labels of an enumeration */
    uint32_t element;      /* type of an array's or a sequence's elements */
    uint64_t count;        /* elements of an array */
    struct tsdl_word name; /* field with a sequence's length, or a variant's tag */
};

/* A member of a structure or a variant, or a label of an enumeration. */
struct tsdl_member {
    struct tsdl_word name;
    uint32_t type;      /* 0 for a label */
    uint32_t next;      /* 0 at the end */
    uint64_t low, high; /* of a label */
};

struct tsdl_stream {
    uint64_t id;
    uint32_t packet, header, context; /* types; 0: none */
};

struct tsdl_event {
    struct tsdl_word name; /* without its quotes */
    uint64_t id, stream;
    uint32_t context, fields;
};

/* A declared type with a name. */
struct tsdl_alias {
    char kind; /* 's'tructure, 'e'numeration, 'v'ariant or ' ' */
    struct tsdl_word name;
    uint32_t type;
};

/* The description. Type 0 and member 0 mean none. Words point into the parsed text. */
struct tsdl {
    struct tsdl_type *types;
    size_t type_count, type_capacity;
    struct tsdl_member *members;
    size_t member_count, member_capacity;
    struct tsdl_stream *streams;
    size_t stream_count, stream_capacity;
    struct tsdl_event *events;
    size_t event_count, event_capacity;
    struct tsdl_alias *aliases;
    size_t alias_count, alias_capacity;
    bool little_endian, has_uuid, has_clock;
    unsigned char uuid[16];
    uint32_t packet; /* packet.header */
    struct tsdl_word clock;
    uint64_t frequency;
    int64_t offset_s, offset; /* of the clock: seconds, and cycles */
    struct tsdl_word hostname, tracer;
    int64_t vpid; /* -1 if the trace has none */
};

/* Parses a text, which ends with a zero byte and outlives *tsdl. Returns NULL, or the unsupported
 * part (static text); *tsdl then has the declarations before it. Must be followed by
 * tsdl_clear(). */
const char *tsdl_read(struct tsdl *tsdl, const char *text);

void tsdl_clear(struct tsdl *tsdl);

bool tsdl_is(struct tsdl_word word, const char *text);

/* Returns a member of a structure or a variant by its name, or NULL. One leading underscore of its
 * name is ignored, because LTTng adds it. */
const struct tsdl_member *tsdl_member(const struct tsdl *tsdl, uint32_t type, const char *name);

#endif

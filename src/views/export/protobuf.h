/* Writes messages in the wire format of Protocol Buffers (protobuf.dev: "Encoding"), field by
 * field. A library would take several times as long as reading the trace. Fields may come in any
 * order. A nested message is a field of bytes with a length. Not thread-safe. */
#ifndef PINSIGHT_VIEWS_PROTOBUF_H
#define PINSIGHT_VIEWS_PROTOBUF_H

#include "views/export/bytes.h"

/* Types of fields on the wire. */
enum { PINSIGHT_WIRE_VARINT = 0, PINSIGHT_WIRE_FIXED64 = 1, PINSIGHT_WIRE_BYTES = 2 };

/* The most bytes of a field with one number: its tag, and a varint of 64 bits. */
enum { PINSIGHT_FIELD_MOST = 5 + 10 };

static inline uint8_t *pinsight_field(uint8_t *at, uint32_t field, unsigned type) {
    return pinsight_varint(at, (uint64_t)field << 3 | type);
}

/* Writes a bool, an enum, or a number: uint32, uint64, int32, int64 (a negative one in 64 bits). */
static inline void pinsight_put(struct pinsight_bytes *message, uint32_t field, uint64_t value) {
    uint8_t *at = pinsight_bytes_room(message, PINSIGHT_FIELD_MOST);

    at = pinsight_varint(pinsight_field(at, field, PINSIGHT_WIRE_VARINT), value);
    message->size = (size_t)(at - message->bytes);
}

/* Writes a fixed64. */
static inline void pinsight_put_fixed(struct pinsight_bytes *message, uint32_t field,
                                      uint64_t value) {
    uint8_t *at = pinsight_bytes_room(message, PINSIGHT_FIELD_MOST);

    at = pinsight_field(at, field, PINSIGHT_WIRE_FIXED64);
    for (unsigned i = 0; i < 8; i++)
        *at++ = (uint8_t)(value >> 8 * i);
    message->size = (size_t)(at - message->bytes);
}

/* Writes a string, bytes, or a message. */
static inline void pinsight_put_bytes(struct pinsight_bytes *message, uint32_t field,
                                      const void *bytes, size_t size) {
    uint8_t *at = pinsight_bytes_room(message, PINSIGHT_FIELD_MOST + size);

    at = pinsight_varint(pinsight_field(at, field, PINSIGHT_WIRE_BYTES), size);
    memcpy(at, bytes, size);
    message->size = (size_t)(at - message->bytes) + size;
}

static inline void pinsight_put_message(struct pinsight_bytes *message, uint32_t field,
                                        const struct pinsight_bytes *inner) {
    if (inner->size)
        pinsight_put_bytes(message, field, inner->bytes, inner->size);
}

#endif

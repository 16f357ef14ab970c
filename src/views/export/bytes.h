/* Bytes that grow, and numbers in as few bytes as they need. Not thread-safe. */
#ifndef PINSIGHT_VIEWS_EXPORT_BYTES_H
#define PINSIGHT_VIEWS_EXPORT_BYTES_H

#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* All zero is empty. `bytes` is owned. */
struct pinsight_bytes {
    uint8_t *bytes;
    size_t size, capacity;
};

/* Returns room for `size` more bytes at the end. */
static inline uint8_t *pinsight_bytes_room(struct pinsight_bytes *bytes, size_t size) {
    if (bytes->capacity - bytes->size < size) {
        bytes->capacity = 2 * (bytes->capacity + size) + 64;
        bytes->bytes = pinsight_realloc(bytes->bytes, bytes->capacity, 1);
    }
    return bytes->bytes + bytes->size;
}

static inline void pinsight_bytes_add(struct pinsight_bytes *bytes, const void *data, size_t size) {
    if (size)
        memcpy(pinsight_bytes_room(bytes, size), data, size);
    bytes->size += size;
}

/* Writes a number as a varint: seven bits a byte, the lowest first. All bytes but the last have
 * their highest bit set. Writes at most 10 bytes, and returns the address behind them. */
static inline uint8_t *pinsight_varint(uint8_t *at, uint64_t value) {
    while (value >= 0x80) {
        *at++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *at++ = (uint8_t)value;
    return at;
}

static inline void pinsight_bytes_varint(struct pinsight_bytes *bytes, uint64_t value) {
    uint8_t *at = pinsight_varint(pinsight_bytes_room(bytes, 10), value);

    bytes->size = (size_t)(at - bytes->bytes);
}

static inline void pinsight_bytes_clear(struct pinsight_bytes *bytes) {
    free(bytes->bytes);
    *bytes = (struct pinsight_bytes){0};
}

#endif

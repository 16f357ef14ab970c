/* Index files: a head, and for each packet its position, sizes and times, all big-endian. */
#include "reader/ctf/index.h"

#define MAGIC UINT32_C(0xc1f1dcc1)
#define HEAD 16
/* Offset, packet size, content size, two times, discarded events, and stream. */
#define LEAST_ENTRY 56

static uint64_t get(const unsigned char *at, int bytes) {
    uint64_t value = 0;

    for (int i = 0; i < bytes; i++)
        value = value << 8 | at[i];
    return value;
}

bool pinsight_index_end(const unsigned char *data, size_t size, uint64_t *stream_size) {
    uint64_t expected = 0, last_time = 0;
    uint64_t entry_size;

    if (size < HEAD || get(data, 4) != MAGIC)
        return false;
    entry_size = get(data + 12, 4);
    if (entry_size < LEAST_ENTRY || (size - HEAD) % entry_size != 0)
        return false;
    for (size_t at = HEAD; at < size; at += entry_size) {
        uint64_t offset = get(data + at, 8);
        uint64_t packet = get(data + at + 8, 8);
        uint64_t content = get(data + at + 16, 8);
        uint64_t begin = get(data + at + 24, 8);
        uint64_t end = get(data + at + 32, 8);

        if (offset != expected || packet % 8 != 0 || !packet || content > packet ||
            packet / 8 > INT64_MAX - expected || begin > end || end == UINT64_MAX ||
            begin < last_time)
            return false;
        last_time = begin;
        expected += packet / 8;
    }
    *stream_size = expected;
    return true;
}

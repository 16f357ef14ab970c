/* Counts the events of a packet; see folder.h. */
#include "format/folder.h"

#include <stddef.h>
#include <string.h>

/* Returns the end of the fields at `at`, or NULL if they exceed `end`. */
static const uint8_t *after(const uint8_t *at, const uint8_t *end, const char *shape) {
    for (; *shape && at; shape++) {
        if (*shape == 's') {
            at = memchr(at, '\0', (size_t)(end - at));
            at = at ? at + 1 : NULL;
        } else {
            at = end - at >= *shape - '0' ? at + (*shape - '0') : NULL;
        }
    }
    return at;
}

uint64_t pinsight_file_count_events(const uint8_t *packet, uint64_t bytes) {
    const uint8_t *at = packet + sizeof(struct pinsight_packet_head), *end = packet + bytes;
    uint64_t count = 0;

    while (at && end - at >= (ptrdiff_t)sizeof(uint32_t)) {
        uint32_t word;
        memcpy(&word, at, sizeof word);
        uint32_t number = word & ((1u << PINSIGHT_COMPACT_NUMBER_BITS) - 1);
        ptrdiff_t head = sizeof word;
        if (number == PINSIGHT_EXTENDED) {
            head = PINSIGHT_EXTENDED_BYTES;
            if (end - at < head)
                break;
            memcpy(&number, at + 1, sizeof number);
        }
        if (number >= pinsight_file_shape_count || !pinsight_file_shapes[number])
            break;
        at = after(at + head, end, pinsight_file_shapes[number]);
        count += at != NULL;
    }
    return count;
}

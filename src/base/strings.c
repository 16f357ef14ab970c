/* The table of names: a flat hash of numbers beside an array of texts. */
#include "base/strings.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static uint32_t hash_text(const char *text, size_t length) {
    uint64_t h = length * UINT64_C(0x9E3779B97F4A7C15);
    uint64_t word;

    for (; length >= 8; text += 8, length -= 8) {
        memcpy(&word, text, 8);
        h = (h ^ word) * UINT64_C(0xFF51AFD7ED558CCD);
        h ^= h >> 32;
    }
    word = 0;
    memcpy(&word, text, length);
    h = (h ^ word) * UINT64_C(0xFF51AFD7ED558CCD);
    return (uint32_t)(h ^ h >> 32);
}

static void rehash(struct pinsight_strings *strings, uint32_t size) {
    free(strings->slots);
    strings->slots = pinsight_calloc(size, sizeof(*strings->slots));
    strings->mask = size - 1;
    for (uint32_t number = 0; number < strings->count; number++) {
        uint32_t i = strings->items[number].hash;

        while (strings->slots[i & strings->mask])
            i++;
        strings->slots[i & strings->mask] = number + 1;
    }
}

static uint32_t add(struct pinsight_strings *strings, const char *text, size_t length) {
    uint32_t hash = hash_text(text, length);
    uint32_t i;

    for (i = hash; strings->slots[i & strings->mask]; i++) {
        const struct pinsight_string *item = &strings->items[strings->slots[i & strings->mask] - 1];

        if (item->hash == hash && item->length == length && !memcmp(item->text, text, length))
            return strings->slots[i & strings->mask] - 1;
    }
    strings->items =
        pinsight_grow(strings->items, strings->count, &strings->capacity, sizeof(*strings->items));
    strings->items[strings->count] =
        (struct pinsight_string){pinsight_memdup(text, length), (uint32_t)length, hash};
    strings->slots[i & strings->mask] = (uint32_t)++strings->count;
    if (strings->count * 2 > strings->mask)
        rehash(strings, (strings->mask + 1) * 2);
    return (uint32_t)strings->count - 1;
}

uint32_t pinsight_strings_add(struct pinsight_strings *strings, const char *text, size_t length) {
    if (!strings->slots) {
        rehash(strings, 64);
        add(strings, "", 0);
    }
    return add(strings, text, length);
}

void pinsight_strings_clear(struct pinsight_strings *strings) {
    for (size_t i = 0; i < strings->count; i++)
        free(strings->items[i].text);
    free(strings->items);
    free(strings->slots);
    *strings = (struct pinsight_strings){0};
}

/* Every distinct name once, known by a small number. Not thread-safe. */
#ifndef PINSIGHT_BASE_STRINGS_H
#define PINSIGHT_BASE_STRINGS_H

#include <stddef.h>
#include <stdint.h>

struct pinsight_string {
    char *text; /* any bytes but zero, ended by a zero */
    uint32_t length;
    uint32_t hash;
};

/* All zero is an empty table; number 0 is then the empty string once anything was added. */
struct pinsight_strings {
    struct pinsight_string *items;
    size_t count, capacity;
    uint32_t *slots; /* number + 1, 0 where unused */
    uint32_t mask;
};

/* The number of a text of length bytes, which is added if it is new. */
uint32_t pinsight_strings_add(struct pinsight_strings *strings, const char *text, size_t length);

/* The text with a number that pinsight_strings_add gave; it lives as long as the table. */
static inline const char *pinsight_strings_text(const struct pinsight_strings *strings,
                                                uint32_t number) {
    return number < strings->count ? strings->items[number].text : "";
}

void pinsight_strings_clear(struct pinsight_strings *strings);

#endif

/* A table of distinct strings, each with a small number. Not thread-safe. */
#ifndef PINSIGHT_BASE_STRINGS_H
#define PINSIGHT_BASE_STRINGS_H

#include <stddef.h>
#include <stdint.h>

struct pinsight_string {
    char *text; /* any bytes but zero, ended by a zero */
    uint32_t length;
    uint32_t hash;
};

/* An all-zero table is empty. After the first addition, number 0 is the empty string. */
struct pinsight_strings {
    struct pinsight_string *items;
    size_t count, capacity;
    uint32_t *slots; /* number + 1, 0 where unused */
    uint32_t mask;
};

/* Returns the number of a text of length bytes. Adds the text if it is new. */
uint32_t pinsight_strings_add(struct pinsight_strings *strings, const char *text, size_t length);

/* Returns the text with a number from pinsight_strings_add. The text lives as long as the table. */
static inline const char *pinsight_strings_text(const struct pinsight_strings *strings,
                                                uint32_t number) {
    return number < strings->count ? strings->items[number].text : "";
}

void pinsight_strings_clear(struct pinsight_strings *strings);

#endif

/* Allocation that does not fail, and growing arrays. */
#include "base/memory.h"

#include "base/leftover.h"
#include "base/message.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void out_of_memory(void) {
    pinsight_leftover_remove();
    pinsight_error("out of memory; try a shorter trace, or --thread or --process to read a part");
    exit(1);
}

void *pinsight_calloc(size_t count, size_t size) {
    void *block = calloc(count ? count : 1, size);

    if (!block)
        out_of_memory();
    return block;
}

void *pinsight_realloc(void *block, size_t count, size_t size) {
    if (size && count > SIZE_MAX / size)
        out_of_memory();
    block = realloc(block, count && size ? count * size : 1);
    if (!block)
        out_of_memory();
    return block;
}

char *pinsight_memdup(const char *text, size_t length) {
    char *copy = pinsight_realloc(NULL, length + 1, 1);

    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

char *pinsight_strdup(const char *text) {
    return pinsight_memdup(text, strlen(text));
}

char *pinsight_format_list(const char *format, va_list arguments) {
    char *text = NULL;

    if (vasprintf(&text, format, arguments) < 0)
        out_of_memory();
    return text;
}

char *pinsight_format(const char *format, ...) {
    va_list arguments;
    char *text;

    va_start(arguments, format);
    text = pinsight_format_list(format, arguments);
    va_end(arguments);
    return text;
}

void pinsight_append(char **text, const char *format, ...) {
    size_t length = *text ? strlen(*text) : 0;
    va_list arguments;
    char *more;

    va_start(arguments, format);
    more = pinsight_format_list(format, arguments);
    va_end(arguments);
    *text = pinsight_realloc(*text, length + strlen(more) + 1, 1);
    strcpy(*text + length, more);
    free(more);
}

void *pinsight_grow(void *items, size_t count, size_t *capacity, size_t size) {
    if (count < *capacity)
        return items;
    *capacity = *capacity ? *capacity * 2 : 16;
    return pinsight_realloc(items, *capacity, size);
}

void *pinsight_extend(void *items, size_t index, size_t *count, size_t size) {
    size_t longer = *count ? *count : 64;

    while (longer <= index)
        longer *= 2;
    items = pinsight_realloc(items, longer, size);
    memset((char *)items + *count * size, 0, (longer - *count) * size);
    *count = longer;
    return items;
}

void pinsight_free_all(void *const *blocks, size_t size) {
    for (size_t i = 0; i < size / sizeof(*blocks); i++)
        free(blocks[i]);
}

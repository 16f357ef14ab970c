/* Demangles names of C++; see cxx_name.h. */
#include "reader/kit/cxx_name.h"

#include "base/lazy_library.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A mangled name refers to parts of itself (S3_, T_). Each reference can double its length. */
#define MOST_BYTES (UINT64_C(64) << 20)
/* The longest text that one letter stands for. */
#define PER_LETTER 8

static char *(*demangle)(const char *name, char *buffer, size_t *size, int *status);

/* Returns an upper limit for the length of a demangled name. */
static uint64_t most_bytes(const char *name) {
    uint64_t most = PER_LETTER * strlen(name);

    for (const char *at = name; *at && most <= MOST_BYTES; at++)
        if (*at == 'S' || *at == 'T') {
            const char *end = at + 1 + strspn(at + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");

            most <<= *end == '_';
        }
    return most;
}

/* ---- the name without its parameters ---- */

#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"
/* The deepest nesting of parts in a mangled name. */
#define DEEPEST_PART 128

struct parts {
    char open[DEEPEST_PART];  /* letters of the parts that an E ends */
    bool typed[DEEPEST_PART]; /* for a value (L): its type has been read */
    size_t depth;
};

/* Skips a part that is not ended by an E. Returns its end, or NULL if it is no part of a name. */
static const char *skip_part(const char *at) {
    size_t length = strlen(at);

    if (isdigit((unsigned char)*at)) {
        char *end;
        unsigned long name = strtoul(at, &end, 10);

        return name <= length - (size_t)(end - at) ? end + name : NULL;
    }
    if (*at == 'S' && islower((unsigned char)at[1]))
        return at + 2;
    if (*at == 'S' || *at == 'T' || *at == 'A') {
        at += 1 + strspn(at + 1, UPPER DIGITS);
        return at + (*at == '_');
    }
    if (*at == '_' && isdigit((unsigned char)at[1])) /* distinguishes entities with the same name */
        return at + 2;
    if ((*at == 'D' || *at == 'U') && at[1])
        return at + 2 + strspn(at + 2, DIGITS);
    return at + 1;
}

/* Advances by one step over the parts of a name. */
static const char *step(struct parts *parts, const char *at) {
    char *top = parts->depth ? &parts->open[parts->depth - 1] : NULL;
    bool lambda = at[0] == 'U' && at[1] == 'l';
    bool type_of = at[0] == 'D' && (at[1] == 'T' || at[1] == 't');

    if (*at == 'E' && top) {
        bool was_lambda = *top == 'U';

        parts->depth--;
        if (parts->depth && parts->open[parts->depth - 1] == 'L')
            parts->typed[parts->depth - 1] = true;
        return was_lambda ? at + 1 + strspn(at + 1, DIGITS) : at + 1;
    }
    if (top && *top == 'L' && parts->typed[parts->depth - 1] &&
        (isdigit((unsigned char)*at) || *at == 'n'))
        return at + 1; /* digits of a value */
    if (lambda || type_of || strchr("NILXFJZ", *at)) {
        if (parts->depth == DEEPEST_PART)
            return NULL;
        parts->open[parts->depth] = *at;
        parts->typed[parts->depth++] = false;
        return at + 1 + (lambda || type_of);
    }
    if (top && *top == 'L')
        parts->typed[parts->depth - 1] = true;
    return skip_part(at);
}

/* Returns a copy of a mangled name up to its parameters, which also names the function. Returns
 * NULL if that position is not found. */
static char *without_parameters(const char *name) {
    struct parts parts = {.depth = 0};
    const char *at = name + 2;

    if (*at != 'N')
        return NULL;
    do
        at = step(&parts, at);
    while (at && *at && parts.depth);
    return at && !parts.depth ? strndup(name, (size_t)(at - name)) : NULL;
}

static char *demangled(const char *name, uint64_t *left) {
    char *text;

    if (!*left || most_bytes(name) > MOST_BYTES)
        return NULL;
    text = demangle(name, NULL, NULL, &(int){0});
    if (text)
        *left -= strlen(text) < *left ? strlen(text) : *left;
    return text;
}

char *pinsight_cxx_demangle(const char *name, uint64_t *left) {
    static const struct pinsight_lazy_function functions[] = {
        {"__cxa_demangle", (void **)&demangle}};
    static struct pinsight_lazy_library library = {
        .path = "libstdc++.so.6", .name = "libstdc++.so.6", .functions = functions, .count = 1};
    char *text, *part;

    if (!pinsight_cxx_is_mangled(name) || (!library.handle && pinsight_lazy_library_open(&library)))
        return NULL;
    text = demangled(name, left);
    if (text)
        return text;
    part = without_parameters(name);
    text = part ? demangled(part, left) : NULL;
    free(part);
    return text;
}

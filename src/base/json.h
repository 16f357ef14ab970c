/* A writer of JSON. Its output is always valid UTF-8: bytes of a name that are not valid UTF-8,
 * including lone surrogates, become the four characters \xNN. The writer adds commas, colons and
 * indentation. The caller opens and closes objects and arrays. */
#ifndef PINSIGHT_BASE_JSON_H
#define PINSIGHT_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct pinsight_json {
    FILE *out;
    unsigned depth;
    bool first;            /* the innermost object or array is still empty */
    bool compact;          /* writes everything on one line */
    unsigned inline_depth; /* depth from which on objects are on one line; 0: none */
};

/* Opens an object ('{') or an array ('['). `key` is NULL within an array and at the top, here and
 * below. */
void pinsight_json_open(struct pinsight_json *json, const char *key, char bracket);
void pinsight_json_close(struct pinsight_json *json, char bracket);
void pinsight_json_string(struct pinsight_json *json, const char *key, const char *text);
/* Like pinsight_json_string(), but writes null for NULL and for an empty text. */
void pinsight_json_text(struct pinsight_json *json, const char *key, const char *text);
void pinsight_json_unsigned(struct pinsight_json *json, const char *key, uint64_t value);
void pinsight_json_signed(struct pinsight_json *json, const char *key, int64_t value);
/* Writes four digits after the point. */
void pinsight_json_real(struct pinsight_json *json, const char *key, double value);
/* Writes all digits; null if the value is not finite, because JSON has no such numbers. */
void pinsight_json_double(struct pinsight_json *json, const char *key, double value);
void pinsight_json_bool(struct pinsight_json *json, const char *key, bool value);
void pinsight_json_null(struct pinsight_json *json, const char *key);

/* Writes a text as a JSON string, with its quotes. */
void pinsight_json_quote(FILE *out, const char *text);

#endif

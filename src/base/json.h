/* Writes JSON. What is written is always valid UTF-8: bytes of a name that are not valid UTF-8,
 * lone surrogates among them, come out as the four characters \xNN. Commas, colons and indentation
 * are the writer's; objects and arrays are opened and closed by the caller. */
#ifndef PINSIGHT_BASE_JSON_H
#define PINSIGHT_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct pinsight_json {
    FILE *out;
    unsigned depth;
    bool first;            /* nothing stands in the innermost object or array yet */
    bool compact;          /* everything on one line */
    unsigned inline_depth; /* from this depth on, on one line; 0 is never */
};

/* key is NULL in an array and at the top. */
void pinsight_json_open(struct pinsight_json *json, const char *key, char bracket);
void pinsight_json_close(struct pinsight_json *json, char bracket);
void pinsight_json_string(struct pinsight_json *json, const char *key, const char *text);
/* The same, null where there is none or it is empty. */
void pinsight_json_text(struct pinsight_json *json, const char *key, const char *text);
void pinsight_json_unsigned(struct pinsight_json *json, const char *key, uint64_t value);
void pinsight_json_signed(struct pinsight_json *json, const char *key, int64_t value);
/* With four digits after the point. */
void pinsight_json_real(struct pinsight_json *json, const char *key, double value);
void pinsight_json_bool(struct pinsight_json *json, const char *key, bool value);
void pinsight_json_null(struct pinsight_json *json, const char *key);

/* A string as a JSON string, quotes included. */
void pinsight_json_quote(FILE *out, const char *text);

#endif

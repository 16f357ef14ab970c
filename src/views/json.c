/* The JSON writer. */
#include "views/json.h"

#include "views/utf8.h"

#include <inttypes.h>
#include <string.h>

void pinsight_json_quote(FILE *out, const char *text) {
    const unsigned char *at = (const unsigned char *)text;

    putc('"', out);
    while (*at) {
        uint32_t point;
        int length = pinsight_utf8_decode((const char *)at, &point);

        if (length == 0) {
            fprintf(out, "\\\\x%02x", *at++);
            continue;
        }
        if (point == '"' || point == '\\')
            fprintf(out, "\\%c", (int)point);
        else if (point == '\n')
            fputs("\\n", out);
        else if (point == '\t')
            fputs("\\t", out);
        else if (point < 0x20 || point == 0x7f || (point >= 0x80 && point < 0xa0) ||
                 point == 0x2028 || point == 0x2029)
            fprintf(out, "\\u%04x", point);
        else
            fwrite(at, 1, (size_t)length, out);
        at += length;
    }
    putc('"', out);
}

/* What stands before a value or a closing bracket. */
static void separate(struct pinsight_json *json, bool closing) {
    bool inner = json->inline_depth && json->depth >= json->inline_depth;

    if (!json->first && !closing)
        putc(',', json->out);
    if (json->compact || inner) {
        if (!json->first && !closing)
            putc(' ', json->out);
    } else if (json->depth || closing) {
        if (!(closing && json->first)) {
            putc('\n', json->out);
            for (unsigned i = 0; i < json->depth; i++)
                fputs("  ", json->out);
        }
    }
    json->first = false;
}

static void begin_value(struct pinsight_json *json, const char *key) {
    separate(json, false);
    if (key) {
        pinsight_json_quote(json->out, key);
        fputs(": ", json->out);
    }
}

void pinsight_json_open(struct pinsight_json *json, const char *key, char bracket) {
    if (!json->depth)
        json->first = true;
    begin_value(json, key);
    putc(bracket, json->out);
    json->depth++;
    json->first = true;
}

void pinsight_json_close(struct pinsight_json *json, char bracket) {
    /* The bracket stands on the line of its opening one where the content did. */
    bool inner = json->inline_depth && json->depth >= json->inline_depth;

    json->depth--;
    if (!inner && !json->compact)
        separate(json, true);
    putc(bracket, json->out);
    json->first = false;
    if (!json->depth)
        putc('\n', json->out);
}

void pinsight_json_string(struct pinsight_json *json, const char *key, const char *text) {
    begin_value(json, key);
    pinsight_json_quote(json->out, text);
}

void pinsight_json_unsigned(struct pinsight_json *json, const char *key, uint64_t value) {
    begin_value(json, key);
    fprintf(json->out, "%" PRIu64, value);
}

void pinsight_json_signed(struct pinsight_json *json, const char *key, int64_t value) {
    begin_value(json, key);
    fprintf(json->out, "%" PRId64, value);
}

void pinsight_json_bool(struct pinsight_json *json, const char *key, bool value) {
    begin_value(json, key);
    fputs(value ? "true" : "false", json->out);
}

void pinsight_json_null(struct pinsight_json *json, const char *key) {
    begin_value(json, key);
    fputs("null", json->out);
}

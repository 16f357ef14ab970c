/* The JSON writer. */
#include "base/json.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Returns whether a byte needs no escape in a JSON string. */
static bool is_plain(unsigned char byte) {
    return byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';
}

/* Writes one character that needs an escape. Returns its length in the text. */
static size_t quote_one(FILE *out, const char *text) {
    uint32_t point;
    int length = pinsight_utf8_decode(text, &point);

    if (length == 0) {
        fprintf(out, "\\\\x%02x", (unsigned char)*text);
        return 1;
    }
    if (point == '"' || point == '\\')
        fprintf(out, "\\%c", (int)point);
    else if (point == '\n')
        fputs("\\n", out);
    else if (point == '\t')
        fputs("\\t", out);
    else if (pinsight_utf8_is_printable(point))
        fwrite(text, 1, (size_t)length, out);
    else if (point > 0xffff) /* a surrogate pair, see RFC 8259 section 7 */
        fprintf(out, "\\u%04x\\u%04x", 0xd800 + ((point - 0x10000) >> 10),
                0xdc00 + (point & 0x3ff));
    else
        fprintf(out, "\\u%04x", point);
    return (size_t)length;
}

void pinsight_json_quote(FILE *out, const char *text) {
    putc('"', out);
    while (*text) {
        size_t plain = 0;

        while (is_plain((unsigned char)text[plain]))
            plain++;
        fwrite(text, 1, plain, out);
        text += plain;
        if (*text)
            text += quote_one(out, text);
    }
    putc('"', out);
}

/* Writes the comma and the space or newline before a value or a closing bracket. */
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
        /* Keys are PInsight's own words and need no escapes. */
        putc('"', json->out);
        fputs(key, json->out);
        fputs("\": ", json->out);
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
    /* The closing bracket is on the same line if the content is. */
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
    char digits[24];
    char *at = digits + sizeof(digits);

    begin_value(json, key);
    do
        *--at = (char)('0' + value % 10);
    while (value /= 10);
    fwrite(at, 1, (size_t)(digits + sizeof(digits) - at), json->out);
}

void pinsight_json_signed(struct pinsight_json *json, const char *key, int64_t value) {
    if (value >= 0) {
        pinsight_json_unsigned(json, key, (uint64_t)value);
        return;
    }
    begin_value(json, key);
    fprintf(json->out, "%" PRId64, value);
}

void pinsight_json_real(struct pinsight_json *json, const char *key, double value) {
    begin_value(json, key);
    fprintf(json->out, "%.4f", value);
}

void pinsight_json_double(struct pinsight_json *json, const char *key, double value) {
    begin_value(json, key);
    if (isfinite(value))
        fprintf(json->out, "%.17g", value);
    else
        fputs("null", json->out);
}

void pinsight_json_bool(struct pinsight_json *json, const char *key, bool value) {
    begin_value(json, key);
    fputs(value ? "true" : "false", json->out);
}

void pinsight_json_null(struct pinsight_json *json, const char *key) {
    begin_value(json, key);
    fputs("null", json->out);
}

void pinsight_json_text(struct pinsight_json *json, const char *key, const char *text) {
    if (text && text[0])
        pinsight_json_string(json, key, text);
    else
        pinsight_json_null(json, key);
}

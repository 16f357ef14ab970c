/* Writes Thrift's compact protocol; see thrift.h. Apache Thrift's document "Thrift Compact
 * Protocol" describes it. */
#include "views/export/thrift.h"

static void add_byte(struct pinsight_thrift *thrift, unsigned value) {
    unsigned char byte = (unsigned char)value;

    pinsight_bytes_add(thrift->out, &byte, 1);
}

/* Writes a number so that small numbers are short, whatever their sign. */
static void add_signed(struct pinsight_thrift *thrift, int64_t value) {
    pinsight_bytes_varint(thrift->out, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

static void add_text(struct pinsight_thrift *thrift, const char *text) {
    pinsight_bytes_varint(thrift->out, strlen(text));
    pinsight_bytes_add(thrift->out, text, strlen(text));
}

/* Writes a field's head. The head has the difference between the field's number and the previous
 * one. */
static void begin_field(struct pinsight_thrift *thrift, int16_t field,
                        enum pinsight_thrift_type type) {
    int16_t *last = &thrift->last[thrift->depth - 1];
    int more = field - *last;

    if (more > 0 && more < 16) {
        add_byte(thrift, (unsigned)more << 4 | type);
    } else {
        add_byte(thrift, type);
        add_signed(thrift, field);
    }
    *last = field;
}

void pinsight_thrift_int(struct pinsight_thrift *thrift, int16_t field,
                         enum pinsight_thrift_type type, int64_t value) {
    begin_field(thrift, field, type);
    add_signed(thrift, value);
}

void pinsight_thrift_text(struct pinsight_thrift *thrift, int16_t field, const char *text) {
    begin_field(thrift, field, PINSIGHT_THRIFT_BINARY);
    add_text(thrift, text);
}

void pinsight_thrift_bytes(struct pinsight_thrift *thrift, int16_t field, const void *bytes,
                           size_t size) {
    begin_field(thrift, field, PINSIGHT_THRIFT_BINARY);
    pinsight_bytes_varint(thrift->out, size);
    pinsight_bytes_add(thrift->out, bytes, size);
}

void pinsight_thrift_list(struct pinsight_thrift *thrift, int16_t field,
                          enum pinsight_thrift_type of, size_t count) {
    begin_field(thrift, field, PINSIGHT_THRIFT_LIST);
    if (count < 15) {
        add_byte(thrift, (unsigned)count << 4 | of);
        return;
    }
    add_byte(thrift, 0xf0u | of);
    pinsight_bytes_varint(thrift->out, count);
}

void pinsight_thrift_int_element(struct pinsight_thrift *thrift, int64_t value) {
    add_signed(thrift, value);
}

void pinsight_thrift_text_element(struct pinsight_thrift *thrift, const char *text) {
    add_text(thrift, text);
}

void pinsight_thrift_begin(struct pinsight_thrift *thrift, int16_t field) {
    if (field)
        begin_field(thrift, field, PINSIGHT_THRIFT_STRUCT);
    thrift->last[thrift->depth++] = 0;
}

void pinsight_thrift_end(struct pinsight_thrift *thrift) {
    add_byte(thrift, 0);
    thrift->depth--;
}

/* Writes Apache Thrift's compact protocol into memory, as far as Parquet's metadata needs it:
 * structs, lists, integers and strings. The fields of a struct must come in rising order of their
 * numbers. Not thread-safe. */
#ifndef PINSIGHT_VIEWS_THRIFT_H
#define PINSIGHT_VIEWS_THRIFT_H

#include "views/export/bytes.h"

enum pinsight_thrift_type {
    PINSIGHT_THRIFT_I32 = 5,
    PINSIGHT_THRIFT_I64 = 6,
    PINSIGHT_THRIFT_BINARY = 8,
    PINSIGHT_THRIFT_LIST = 9,
    PINSIGHT_THRIFT_STRUCT = 12,
};

#define PINSIGHT_THRIFT_DEEPEST 8

/* A message under construction, with the last field's number of each open struct. */
struct pinsight_thrift {
    struct pinsight_bytes *out;
    int16_t last[PINSIGHT_THRIFT_DEEPEST];
    unsigned depth;
};

/* Write a field: an integer of 32 or 64 bits, a string, bytes, or a list of `count` elements,
 * which follow. */
void pinsight_thrift_int(struct pinsight_thrift *thrift, int16_t field,
                         enum pinsight_thrift_type type, int64_t value);
void pinsight_thrift_text(struct pinsight_thrift *thrift, int16_t field, const char *text);
void pinsight_thrift_bytes(struct pinsight_thrift *thrift, int16_t field, const void *bytes,
                           size_t size);
void pinsight_thrift_list(struct pinsight_thrift *thrift, int16_t field,
                          enum pinsight_thrift_type of, size_t count);

/* Write an element of a list. */
void pinsight_thrift_int_element(struct pinsight_thrift *thrift, int64_t value);
void pinsight_thrift_text_element(struct pinsight_thrift *thrift, const char *text);

/* Begin and end a struct. The struct is a field, or with `field` 0 an element of a list or the
 * whole message. */
void pinsight_thrift_begin(struct pinsight_thrift *thrift, int16_t field);
void pinsight_thrift_end(struct pinsight_thrift *thrift);

#endif

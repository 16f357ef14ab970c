/* Types in TSDL, for tsdl.c. */
#ifndef PINSIGHT_READER_CTF_TSDL_TYPES_H
#define PINSIGHT_READER_CTF_TSDL_TYPES_H

#include "reader/ctf/tsdl_tokens.h"

struct tsdl_parser {
    struct tsdl *tsdl;
    struct tsdl_tokens tokens;
    const char *refused; /* the first unsupported part */
};

/* Notes an unsupported part. Returns false. */
bool tsdl_refuse(struct tsdl_parser *parser, const char *what);

/* Return whether the token is this character or word, and advance if it is. */
bool tsdl_take(struct tsdl_parser *parser, int token);
bool tsdl_take_word(struct tsdl_parser *parser, const char *word);

/* Like tsdl_take(), but refuses any other token. */
bool tsdl_expect(struct tsdl_parser *parser, int token);

/* Parses a type, which `depth` other types contain. Returns its number, or 0 if it is refused. */
uint32_t tsdl_read_type(struct tsdl_parser *parser, int depth);

/* Parses a declaration after the word "typealias". */
bool tsdl_read_alias(struct tsdl_parser *parser);

#endif

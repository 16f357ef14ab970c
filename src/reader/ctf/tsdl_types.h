/* Types in TSDL, for tsdl.c. */
#ifndef PINSIGHT_READER_CTF_TSDL_TYPES_H
#define PINSIGHT_READER_CTF_TSDL_TYPES_H

#include "reader/ctf/tsdl_tokens.h"

struct tsdl_parser {
    struct tsdl *tsdl;
    struct tsdl_tokens tokens;
    const char *refused; /* the first thing that is not known here */
};

/* Notes what is not known here; false. */
bool tsdl_refuse(struct tsdl_parser *parser, const char *what);

/* Whether the token is this character or word, which is then behind us. */
bool tsdl_take(struct tsdl_parser *parser, int token);
bool tsdl_take_word(struct tsdl_parser *parser, const char *word);

/* The same, and refuses where it is not. */
bool tsdl_expect(struct tsdl_parser *parser, int token);

/* A type, `depth` others around it; its number, or 0 where it is refused. */
uint32_t tsdl_read_type(struct tsdl_parser *parser, int depth);

/* What follows the word "typealias". */
bool tsdl_read_alias(struct tsdl_parser *parser);

#endif

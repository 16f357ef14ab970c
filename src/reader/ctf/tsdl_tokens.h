/* The tokens of TSDL: words, numbers and signs. */
#ifndef PINSIGHT_READER_CTF_TSDL_TOKENS_H
#define PINSIGHT_READER_CTF_TSDL_TOKENS_H

#include "reader/ctf/tsdl.h"

enum tsdl_token {
    TSDL_END = 0,
    TSDL_WORD = 256,
    TSDL_NUMBER,
    TSDL_TEXT,   /* in quotes; the word is the raw content */
    TSDL_ASSIGN, /* := */
    TSDL_DOTS,   /* ... */
    TSDL_WRONG,
};

struct tsdl_tokens {
    const char *at;        /* after the token */
    int token;             /* enum tsdl_token, or a character */
    struct tsdl_word word; /* of a word, a number or a text */
    uint64_t number;       /* of a number, without its sign */
    bool negative;
};

/* Advances to the next token; to the first one if `at` is the text. */
void tsdl_next(struct tsdl_tokens *tokens);

#endif

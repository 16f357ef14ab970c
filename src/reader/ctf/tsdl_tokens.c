/* Tokens of TSDL; see tsdl_tokens.h. */
#include "reader/ctf/tsdl_tokens.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_blank(char letter) {
    return letter == ' ' || (letter >= '\t' && letter <= '\r');
}

static const char *skip_blank(const char *at) {
    for (;;) {
        const char *end;

        while (is_blank(*at))
            at++;
        if (at[0] == '/' && at[1] == '*') {
            end = strstr(at + 2, "*/");
            at = end ? end + 2 : at + strlen(at);
        } else if (at[0] == '/' && at[1] == '/') {
            at += strcspn(at, "\n");
        } else {
            return at;
        }
    }
}

static bool begins_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static const char *take_number(struct tsdl_tokens *tokens, const char *at) {
    char *end;

    tokens->negative = *at == '-';
    at += tokens->negative;
    errno = 0;
    tokens->number = strtoull(at, &end, 0);
    tokens->token = errno ? TSDL_WRONG : TSDL_NUMBER;
    /* Skips C's suffixes. */
    end += strspn(end, "uUlL");
    if (begins_word(*end) || is_digit(*end))
        tokens->token = TSDL_WRONG;
    return end;
}

static const char *take_text(struct tsdl_tokens *tokens, const char *at) {
    const char *begin = at;

    for (; *at && *at != '"' && *at != '\n'; at++)
        if (at[0] == '\\' && at[1])
            at++;
    tokens->token = *at == '"' ? TSDL_TEXT : TSDL_WRONG;
    tokens->word = (struct tsdl_word){begin, (size_t)(at - begin)};
    return *at == '"' ? at + 1 : at;
}

void tsdl_next(struct tsdl_tokens *tokens) {
    const char *at = skip_blank(tokens->at);
    const char *begin = at;

    if (begins_word(*at)) {
        while (begins_word(*at) || is_digit(*at))
            at++;
        tokens->token = TSDL_WORD;
        tokens->word = (struct tsdl_word){begin, (size_t)(at - begin)};
    } else if (is_digit(*at) || (*at == '-' && is_digit(at[1]))) {
        at = take_number(tokens, at);
        tokens->word = (struct tsdl_word){begin, (size_t)(at - begin)};
    } else if (*at == '"') {
        at = take_text(tokens, at + 1);
    } else if (at[0] == ':' && at[1] == '=') {
        tokens->token = TSDL_ASSIGN;
        at += 2;
    } else if (!strncmp(at, "...", 3)) {
        tokens->token = TSDL_DOTS;
        at += 3;
    } else {
        tokens->token = (unsigned char)*at;
        at += *at != '\0';
    }
    tokens->at = at;
}

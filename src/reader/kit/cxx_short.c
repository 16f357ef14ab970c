/* Shortens names of C++ for a screen; see cxx_name.h. */
#include "reader/kit/cxx_name.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Room for the result, and the length to which its arguments are cut. */
#define ROOM 1024
#define SHORT 80
#define DEEPEST 12
#define ARGUMENTS 32

struct shortener {
    const char *at;
    char out[ROOM];
    size_t length;
    unsigned mute;          /* if it is not 0, the text is read but not shown */
    int deepest;            /* lists at this depth and below are not shown */
    size_t list;            /* begin of the outermost list of arguments, at its '<' */
    size_t ends[ARGUMENTS]; /* ends of its arguments */
    size_t count;
};

static void put(struct shortener *s, const char *text, size_t length) {
    if (s->mute || length > ROOM - 1 - s->length)
        return;
    memcpy(s->out + s->length, text, length);
    s->length += length;
}

static bool take(struct shortener *s, const char *text) {
    size_t length = strlen(text);

    if (strncmp(s->at, text, length) != 0)
        return false;
    s->at += length;
    return true;
}

/* Skips the bracket at this position, up to the end of its counterpart. */
static void skip(struct shortener *s) {
    size_t open = 0;

    for (; *s->at; s->at++) {
        open += strchr("([{", *s->at) != NULL;
        open -= strchr(")]}", *s->at) != NULL;
        if (!open) {
            s->at++;
            return;
        }
    }
}

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* A type, a name or a value: an element of a list, or the whole text. */
struct term {
    size_t begin; /* position in the result */
    size_t chain; /* begin of its last a::b::c */
    bool within;  /* the chain continues inside a function, whose name is shown */
    bool lambda;  /* the chain is in a lambda, which is shown already */
    int depth;
};

static void new_chain(struct shortener *s, struct term *term) {
    s->mute -= term->within;
    term->within = term->lambda = false;
    term->chain = s->length;
}

static void parentheses(struct shortener *s, struct term *term) {
    bool named = s->length > term->chain;

    if (take(s, "(anonymous namespace)"))
        return;
    skip(s);
    if (!named) {
        if (!isdigit((unsigned char)*s->at) && *s->at != '-') /* else it precedes a value */
            put(s, "(...)", 5);
        return;
    }
    if (!strncmp(s->at, " const", 6) && (!s->at[6] || s->at[6] == ':' || s->at[6] == '&'))
        s->at += 6;
    if (!term->within && !strncmp(s->at, "::", 2)) {
        term->within = true;
        s->mute++;
    }
}

static void braces(struct shortener *s, struct term *term) {
    bool lambda = !strncmp(s->at, "{lambda", 7);

    skip(s);
    if (!term->within) {
        put(s, lambda ? "{lambda}" : "{...}", lambda ? 8 : 5);
    } else if (lambda && !term->lambda) {
        s->mute--;
        put(s, "::{lambda}", 10);
        s->mute++;
        term->lambda = true;
    }
}

static void list(struct shortener *s, int depth);

/* Reads a name such as "operator<<". Returns false if there is none. */
static bool is_operator(struct shortener *s) {
    const char *from = s->at;

    if (!take(s, "operator") || is_word(*s->at) || *s->at == ' ') {
        s->at = from;
        return false;
    }
    if (!take(s, "()"))
        s->at += strspn(s->at, "<>=!+-*/%&|^~,[]");
    put(s, from, (size_t)(s->at - from));
    s->at += s->at[0] == ' ' && s->at[1] == '<';
    return true;
}

static void blank(struct shortener *s, struct term *term) {
    s->at++;
    if (*s->at == '>')
        return;
    if (!term->depth && *s->at) { /* the text so far was the type of the result */
        s->length = term->begin;
        s->count = s->list = 0;
    } else {
        put(s, " ", 1);
    }
    new_chain(s, term);
}

static void word(struct shortener *s) {
    const char *from = s->at;
    bool number = isdigit((unsigned char)*s->at);

    while (is_word(*s->at))
        s->at++;
    put(s, from, number ? strspn(from, "0123456789.") : (size_t)(s->at - from));
}

static void term(struct shortener *s, int depth) {
    struct term term = {.begin = s->length, .chain = s->length, .depth = depth};

    while (*s->at && (!depth || (*s->at != ',' && *s->at != '>'))) {
        if (*s->at == '(')
            parentheses(s, &term);
        else if (*s->at == '{')
            braces(s, &term);
        else if (*s->at == '[')
            skip(s); /* such as [abi:…] */
        else if (*s->at == '<')
            list(s, depth);
        else if (*s->at == ' ')
            blank(s, &term);
        else if (take(s, "::")) {
            if (!term.within)
                s->length = term.chain;
        } else if (is_word(*s->at)) {
            if (!is_operator(s))
                word(s);
        } else {
            put(s, s->at, 1);
            s->at++;
            new_chain(s, &term);
        }
    }
    s->mute -= term.within;
}

/* Reads a list of arguments, <…>, from its '<'. */
static void list(struct shortener *s, int depth) {
    bool outermost = !depth && !s->mute, shown = depth < s->deepest;

    if (outermost) {
        s->list = s->length;
        s->count = 0;
    }
    put(s, shown ? "<" : "<...", shown ? 1 : 4);
    s->mute += !shown;
    s->at++;
    if (depth >= DEEPEST) /* ignores the rest */
        s->at += strlen(s->at);
    while (*s->at) {
        const char *from = s->at;

        term(s, depth + 1);
        if (outermost && s->count < ARGUMENTS)
            s->ends[s->count++] = s->length;
        if (take(s, ", ") || take(s, ",")) {
            put(s, ", ", 2);
        } else if (take(s, ">")) {
            break;
        } else if (s->at == from) {
            s->at++;
        }
    }
    s->mute -= !shown;
    put(s, ">", 1);
}

/* Removes the arguments that do not fit. */
static void cut(struct shortener *s) {
    static const char rest[] = ", ...>", all[] = "<...>";
    size_t fit = 0;

    if (s->length <= SHORT || !s->list)
        return;
    while (fit < s->count && s->ends[fit] + sizeof(rest) - 1 <= SHORT)
        fit++;
    s->length = fit ? s->ends[fit - 1] : s->list;
    put(s, fit ? rest : all, fit ? sizeof(rest) - 1 : sizeof(all) - 1);
}

/* Reads the last part of the name in a mangled one: for "_ZN2at6native4copyI…" it is copy. Returns
 * false if the name is damaged. */
static bool of_mangled(struct shortener *s) {
    const char *at = s->at + 2, *name = NULL;
    size_t length = 0;

    for (at += strspn(at, "NK"); *at;) {
        if (isdigit((unsigned char)*at)) {
            char *end;

            length = strtoul(at, &end, 10);
            if (length > strlen(end))
                return false;
            name = end;
            at = end + length;
        } else if (*at == 'S') {
            at += 1 + strspn(at + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZt");
            at += *at == '_';
        } else {
            break;
        }
    }
    if (!name)
        return false;
    put(s, name, length);
    if (*at == 'I')
        put(s, "<...>", 5);
    return s->length > 0;
}

char *pinsight_cxx_short(const char *name) {
    struct shortener s = {.at = name};
    char *text;

    if (!pinsight_cxx_is_mangled(name)) {
        for (int deepest = DEEPEST; deepest && (deepest == DEEPEST || s.length > SHORT);
             deepest--) {
            s = (struct shortener){.at = name, .deepest = deepest};
            term(&s, 0);
        }
        cut(&s);
    } else if (!of_mangled(&s)) {
        s.length = 0;
    }
    text = pinsight_calloc(1, (s.length ? s.length : strlen(name)) + 1);
    return memcpy(text, s.length ? s.out : name, s.length ? s.length : strlen(name));
}

/* Types in TSDL; see tsdl_types.h. */
#include "reader/ctf/tsdl_types.h"

#include "base/memory.h"

#include <string.h>

/* The deepest nesting of structures, and the most names of types. */
#define MOST_DEPTH 16
#define MOST_ALIASES 1024

/* The most bits of a number, and of an alignment. */
#define MOST_BITS 64
#define MOST_ALIGN 4096

bool tsdl_refuse(struct tsdl_parser *parser, const char *what) {
    if (!parser->refused)
        parser->refused = what;
    return false;
}

bool tsdl_take(struct tsdl_parser *parser, int token) {
    if (parser->tokens.token != token)
        return false;
    tsdl_next(&parser->tokens);
    return true;
}

bool tsdl_take_word(struct tsdl_parser *parser, const char *word) {
    return parser->tokens.token == TSDL_WORD && tsdl_is(parser->tokens.word, word) &&
           tsdl_take(parser, TSDL_WORD);
}

bool tsdl_expect(struct tsdl_parser *parser, int token) {
    return tsdl_take(parser, token) || tsdl_refuse(parser, "a sign that was not expected");
}

static uint32_t add_type(struct tsdl_parser *parser, struct tsdl_type type) {
    struct tsdl *tsdl = parser->tsdl;

    *PINSIGHT_ADD(tsdl->types, tsdl->type_count, tsdl->type_capacity) = type;
    return (uint32_t)(tsdl->type_count - 1);
}

/* Adds a member at the end of a type. */
static void add_member(struct tsdl_parser *parser, uint32_t type, struct tsdl_member member) {
    struct tsdl *tsdl = parser->tsdl;
    uint32_t number = (uint32_t)tsdl->member_count;

    *PINSIGHT_ADD(tsdl->members, tsdl->member_count, tsdl->member_capacity) = member;
    if (tsdl->types[type].first)
        tsdl->members[tsdl->types[type].last].next = number;
    else
        tsdl->types[type].first = number;
    tsdl->types[type].last = number;
}

static bool same_word(struct tsdl_word a, struct tsdl_word b) {
    return a.length == b.length && memcmp(a.at, b.at, a.length) == 0;
}

static uint32_t find_alias(struct tsdl_parser *parser, char kind, struct tsdl_word name) {
    const struct tsdl *tsdl = parser->tsdl;

    for (size_t i = tsdl->alias_count; i-- > 0;)
        if (tsdl->aliases[i].kind == kind && same_word(tsdl->aliases[i].name, name))
            return tsdl->aliases[i].type;
    tsdl_refuse(parser, "a type that has not been declared");
    return 0;
}

static bool add_alias(struct tsdl_parser *parser, char kind, struct tsdl_word name, uint32_t type) {
    struct tsdl *tsdl = parser->tsdl;

    if (tsdl->alias_count == MOST_ALIASES)
        return tsdl_refuse(parser, "many types with names");
    *PINSIGHT_ADD(tsdl->aliases, tsdl->alias_count, tsdl->alias_capacity) =
        (struct tsdl_alias){kind, name, type};
    return true;
}

/* Parses a number of bits. */
static bool read_bits(struct tsdl_parser *parser, uint64_t most, uint32_t *bits) {
    if (parser->tokens.token != TSDL_NUMBER || parser->tokens.negative || !parser->tokens.number ||
        parser->tokens.number > most)
        return tsdl_refuse(parser, "a number of bits");
    *bits = (uint32_t)parser->tokens.number;
    tsdl_next(&parser->tokens);
    return true;
}

/* Parses align(8) after a structure. */
static bool read_align(struct tsdl_parser *parser, uint32_t *align) {
    return !tsdl_take_word(parser, "align") ||
           (tsdl_expect(parser, '(') && read_bits(parser, MOST_ALIGN, align) &&
            tsdl_expect(parser, ')'));
}

/* Parses an attribute of a number, such as signed = false; or map = clock.monotonic.value; */
static bool read_attribute(struct tsdl_parser *parser, struct tsdl_type *type, uint32_t *mantissa) {
    struct tsdl_tokens *tokens = &parser->tokens;
    struct tsdl_word name = tokens->word;

    if (!tsdl_expect(parser, TSDL_WORD) || !tsdl_expect(parser, '='))
        return false;
    if (tsdl_is(name, "size")) {
        if (!read_bits(parser, MOST_BITS, &type->bits))
            return false;
    } else if (tsdl_is(name, "align")) {
        if (!read_bits(parser, MOST_ALIGN, &type->align))
            return false;
    } else if (tsdl_is(name, "exp_dig") || tsdl_is(name, "mant_dig")) {
        uint32_t bits;

        if (!read_bits(parser, MOST_BITS, &bits))
            return false;
        *mantissa += bits;
    } else if (tsdl_is(name, "signed")) {
        type->is_signed = tsdl_is(tokens->word, "true") || tsdl_is(tokens->word, "TRUE") ||
                          (tokens->token == TSDL_NUMBER && tokens->number == 1);
        tsdl_next(tokens);
    } else if (tsdl_is(name, "map")) {
        /* clock.NAME.value: there is at most one clock. */
        if (!tsdl_take_word(parser, "clock") || !tsdl_expect(parser, '.') ||
            !tsdl_expect(parser, TSDL_WORD) || !tsdl_expect(parser, '.') ||
            !tsdl_take_word(parser, "value"))
            return tsdl_refuse(parser, "a number that is mapped");
        type->is_clock = true;
    } else if (tsdl_is(name, "byte_order")) {
        type->is_big = tsdl_is(tokens->word, "be") || tsdl_is(tokens->word, "network");
        if (!tsdl_expect(parser, TSDL_WORD))
            return false;
    } else if (tsdl_is(name, "base") || tsdl_is(name, "encoding")) {
        if (tokens->token != TSDL_WORD && tokens->token != TSDL_NUMBER)
            return tsdl_refuse(parser, "a base");
        tsdl_next(tokens);
    } else {
        return tsdl_refuse(parser, "an attribute of a number");
    }
    return tsdl_expect(parser, ';');
}

static uint32_t read_number(struct tsdl_parser *parser, enum tsdl_kind kind) {
    struct tsdl_type type = {.kind = (uint8_t)kind};
    uint32_t bits = 0;

    if (!tsdl_expect(parser, '{'))
        return 0;
    while (!tsdl_take(parser, '}'))
        if (!read_attribute(parser, &type, &bits))
            return 0;
    if (kind == TSDL_FLOAT)
        type.bits = bits;
    if (!type.align)
        type.align = type.bits % 8 ? 1 : 8;
    if (!type.bits || type.bits > MOST_BITS || (kind == TSDL_FLOAT && type.bits % 32))
        return tsdl_refuse(parser, "a number without a size");
    return add_type(parser, type);
}

static uint32_t read_string(struct tsdl_parser *parser) {
    struct tsdl_type type = {.kind = TSDL_STRING, .align = 8};
    uint32_t bits = 0;

    if (tsdl_take(parser, '{'))
        while (!tsdl_take(parser, '}'))
            if (!read_attribute(parser, &type, &bits))
                return 0;
    return add_type(parser, type);
}

/* Parses words up to a sign: the name of a type. With `more`, the last word is the name of a
 * member, and the parser stops at it. */
static bool read_words(struct tsdl_parser *parser, bool more, struct tsdl_word *name) {
    struct tsdl_tokens *tokens = &parser->tokens;

    *name = (struct tsdl_word){tokens->word.at, 0};
    for (;;) {
        struct tsdl_tokens ahead = *tokens;

        if (tokens->token != TSDL_WORD)
            return name->length || tsdl_refuse(parser, "a type without a name");
        tsdl_next(&ahead);
        if (more && ahead.token != TSDL_WORD)
            return name->length || tsdl_refuse(parser, "a member without a type");
        name->length = (size_t)(tokens->word.at - name->at) + tokens->word.length;
        *tokens = ahead;
    }
}

/* Parses the labels of an enumeration: name, name = number, name = number ... number. */
static bool read_labels(struct tsdl_parser *parser, uint32_t type) {
    struct tsdl_tokens *tokens = &parser->tokens;
    uint64_t next = 0;

    while (!tsdl_take(parser, '}')) {
        struct tsdl_member label = {.name = tokens->word, .low = next, .high = next};

        if (!tsdl_take(parser, TSDL_WORD) && !tsdl_expect(parser, TSDL_TEXT))
            return false;
        if (tsdl_take(parser, '=')) {
            label.low = label.high = tokens->negative ? -tokens->number : tokens->number;
            if (!tsdl_expect(parser, TSDL_NUMBER))
                return false;
            if (tsdl_take(parser, TSDL_DOTS)) {
                label.high = tokens->negative ? -tokens->number : tokens->number;
                if (!tsdl_expect(parser, TSDL_NUMBER))
                    return false;
            }
        }
        next = label.high + 1;
        add_member(parser, type, label);
        if (!tsdl_take(parser, ',') && tokens->token != '}')
            return tsdl_refuse(parser, "labels without commas");
    }
    return true;
}

/* Parses the optional name after "struct", "enum" or "variant". */
static struct tsdl_word read_name(struct tsdl_parser *parser) {
    struct tsdl_word name = {0};

    if (parser->tokens.token == TSDL_WORD) {
        name = parser->tokens.word;
        tsdl_next(&parser->tokens);
    }
    return name;
}

static uint32_t read_enum(struct tsdl_parser *parser, int depth) {
    struct tsdl_word name = read_name(parser), words;
    struct tsdl_type type;
    uint32_t number;

    if (!tsdl_take(parser, ':'))
        return parser->tokens.token == '{' ? tsdl_refuse(parser, "an enumeration without a size")
                                           : find_alias(parser, 'e', name);
    if (tsdl_is(parser->tokens.word, "integer"))
        number = tsdl_read_type(parser, depth + 1);
    else
        number = read_words(parser, false, &words) ? find_alias(parser, ' ', words) : 0;
    if (!number || parser->tsdl->types[number].kind != TSDL_INTEGER)
        return tsdl_refuse(parser, "an enumeration of a type that is no number");
    type = parser->tsdl->types[number];
    type.is_enum = true;
    type.first = type.last = 0;
    number = add_type(parser, type);
    if (!tsdl_expect(parser, '{') || !read_labels(parser, number) ||
        (name.length && !add_alias(parser, 'e', name, number)))
        return 0;
    return number;
}

/* Parses a member's name, and the length if it is an array. `type` is the type of the elements. */
static bool read_declarator(struct tsdl_parser *parser, uint32_t type, struct tsdl_member *member) {
    struct tsdl_tokens *tokens = &parser->tokens;
    struct tsdl_type array = {
        .kind = TSDL_ARRAY, .align = parser->tsdl->types[type].align, .element = type};

    member->name = tokens->word;
    member->type = type;
    if (!tsdl_expect(parser, TSDL_WORD))
        return false;
    if (!tsdl_take(parser, '['))
        return true;
    if (tokens->token == TSDL_NUMBER && !tokens->negative) {
        array.count = tokens->number;
    } else if (tokens->token == TSDL_WORD) {
        array.kind = TSDL_SEQUENCE;
        array.name = tokens->word;
    } else {
        return tsdl_refuse(parser, "an array without a length");
    }
    tsdl_next(tokens);
    member->type = add_type(parser, array);
    return tsdl_expect(parser, ']');
}

/* Parses members, and raises *align to the largest of theirs. */
static bool read_members(struct tsdl_parser *parser, uint32_t type, int depth, uint32_t *align) {
    while (!tsdl_take(parser, '}')) {
        struct tsdl_member member = {0};
        uint32_t number = tsdl_read_type(parser, depth + 1);

        if (!number || !read_declarator(parser, number, &member) || !tsdl_expect(parser, ';'))
            return false;
        if (parser->tsdl->types[number].align > *align)
            *align = parser->tsdl->types[number].align;
        add_member(parser, type, member);
    }
    return true;
}

/* Adds a variant that was declared before, with the tag of its use. */
static uint32_t use_variant(struct tsdl_parser *parser, struct tsdl_word name,
                            struct tsdl_word tag) {
    uint32_t number = find_alias(parser, 'v', name);
    struct tsdl_type type = parser->tsdl->types[number];

    if (!number || !tag.length)
        return number;
    type.name = tag;
    return add_type(parser, type);
}

/* Parses a structure or a variant. */
static uint32_t read_group(struct tsdl_parser *parser, enum tsdl_kind kind, int depth) {
    struct tsdl_type type = {.kind = (uint8_t)kind};
    char letter = kind == TSDL_STRUCT ? 's' : 'v';
    struct tsdl_word name = read_name(parser);
    uint32_t number, align = 0, own = 0;

    if (kind == TSDL_VARIANT && tsdl_take(parser, '<')) {
        type.name = parser->tokens.word;
        if (!tsdl_expect(parser, TSDL_WORD) || !tsdl_expect(parser, '>'))
            return 0;
    }
    if (parser->tokens.token != '{')
        return kind == TSDL_VARIANT ? use_variant(parser, name, type.name)
                                    : find_alias(parser, letter, name);
    tsdl_next(&parser->tokens);
    number = add_type(parser, type);
    if (!read_members(parser, number, depth, &align) ||
        (kind == TSDL_STRUCT && !read_align(parser, &own)) ||
        (name.length && !add_alias(parser, letter, name, number)))
        return 0;
    if (kind == TSDL_STRUCT)
        parser->tsdl->types[number].align = own > align ? own : align;
    return number;
}

uint32_t tsdl_read_type(struct tsdl_parser *parser, int depth) {
    struct tsdl_word words;

    if (depth > MOST_DEPTH)
        return tsdl_refuse(parser, "types within types");
    if (tsdl_take_word(parser, "integer"))
        return read_number(parser, TSDL_INTEGER);
    if (tsdl_take_word(parser, "floating_point"))
        return read_number(parser, TSDL_FLOAT);
    if (tsdl_take_word(parser, "string"))
        return read_string(parser);
    if (tsdl_take_word(parser, "enum"))
        return read_enum(parser, depth);
    if (tsdl_take_word(parser, "struct"))
        return read_group(parser, TSDL_STRUCT, depth);
    if (tsdl_take_word(parser, "variant"))
        return read_group(parser, TSDL_VARIANT, depth);
    return read_words(parser, true, &words) ? find_alias(parser, ' ', words) : 0;
}

bool tsdl_read_alias(struct tsdl_parser *parser) {
    uint32_t type = tsdl_read_type(parser, 0);
    struct tsdl_word name;

    return type && tsdl_expect(parser, TSDL_ASSIGN) && read_words(parser, false, &name) &&
           add_alias(parser, ' ', name, type) && tsdl_expect(parser, ';');
}

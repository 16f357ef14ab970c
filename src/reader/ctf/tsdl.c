/* The blocks of a description: trace, env, clock, stream and event. */
#include "reader/ctf/tsdl.h"

#include "base/memory.h"
#include "reader/ctf/tsdl_types.h"

#include <stdlib.h>
#include <string.h>

/* More than LTTng or PInsight write. */
#define MOST_STREAMS 256

/* The most parts of a name with dots, such as "packet.header". */
#define MOST_PARTS 4

/* One line of a block: name = value; or name := type; */
struct tsdl_entry {
    struct tsdl_word name; /* with its dots */
    uint32_t type;         /* 0 for a value */
    int token;             /* token of the value */
    struct tsdl_word word;
    uint64_t number;
    bool negative;
};

static bool is_entry(const struct tsdl_entry *entry, const char *name, int token) {
    return tsdl_is(entry->name, name) && !entry->type && entry->token == token;
}

/* Parses a name with dots. */
static bool read_path(struct tsdl_parser *parser, struct tsdl_word *path) {
    struct tsdl_tokens *tokens = &parser->tokens;

    *path = tokens->word;
    for (int part = 0; part < MOST_PARTS; part++) {
        if (tokens->token != TSDL_WORD)
            return tsdl_refuse(parser, "a name without a word");
        path->length = (size_t)(tokens->word.at - path->at) + tokens->word.length;
        tsdl_next(tokens);
        if (tokens->token != '.')
            return true;
        tsdl_next(tokens);
    }
    return tsdl_refuse(parser, "a long name");
}

/* Parses a value. Some lines of clocks and events have text in several pieces, and values that are
 * ignored. */
static bool read_value(struct tsdl_parser *parser, struct tsdl_entry *entry) {
    struct tsdl_tokens *tokens = &parser->tokens;

    entry->token = tokens->token;
    entry->word = tokens->word;
    entry->number = tokens->number;
    entry->negative = tokens->negative;
    if (tokens->token == TSDL_WORD)
        return read_path(parser, &entry->word);
    if (tokens->token != TSDL_NUMBER && tokens->token != TSDL_TEXT)
        return tsdl_refuse(parser, "a value");
    tsdl_next(tokens);
    return true;
}

static bool read_entry(struct tsdl_parser *parser, struct tsdl_entry *entry) {
    struct tsdl_tokens *tokens = &parser->tokens;

    *entry = (struct tsdl_entry){0};
    if (!read_path(parser, &entry->name))
        return false;
    if (tsdl_take(parser, '=')) {
        if (!read_value(parser, entry))
            return false;
    } else if (tokens->token == TSDL_ASSIGN) {
        tsdl_next(tokens);
        entry->type = tsdl_read_type(parser, 0);
        if (!entry->type)
            return false;
    } else {
        return tsdl_refuse(parser, "a line of a block");
    }
    return tsdl_expect(parser, ';');
}

static int hex(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static bool read_uuid(struct tsdl *tsdl, struct tsdl_word word) {
    size_t at = 0;

    for (size_t i = 0; i < sizeof(tsdl->uuid); i++) {
        if (at < word.length && word.at[at] == '-')
            at++;
        if (at + 2 > word.length || hex(word.at[at]) < 0 || hex(word.at[at + 1]) < 0)
            return false;
        tsdl->uuid[i] = (unsigned char)(hex(word.at[at]) << 4 | hex(word.at[at + 1]));
        at += 2;
    }
    tsdl->has_uuid = at == word.length;
    return tsdl->has_uuid;
}

static bool take_trace(struct tsdl_parser *parser, const struct tsdl_entry *entry) {
    struct tsdl *tsdl = parser->tsdl;

    if (tsdl_is(entry->name, "packet.header"))
        tsdl->packet = entry->type;
    else if (is_entry(entry, "byte_order", TSDL_WORD))
        tsdl->little_endian = tsdl_is(entry->word, "le");
    else if (is_entry(entry, "uuid", TSDL_TEXT) && !read_uuid(tsdl, entry->word))
        return tsdl_refuse(parser, "a uuid");
    return true;
}

static bool take_env(struct tsdl_parser *parser, const struct tsdl_entry *entry) {
    struct tsdl *tsdl = parser->tsdl;

    if (is_entry(entry, "hostname", TSDL_TEXT))
        tsdl->hostname = entry->word;
    else if (is_entry(entry, "tracer_name", TSDL_TEXT))
        tsdl->tracer = entry->word;
    else if (is_entry(entry, "vpid", TSDL_NUMBER) && entry->number <= INT64_MAX)
        tsdl->vpid = entry->negative ? -(int64_t)entry->number : (int64_t)entry->number;
    return true;
}

static bool take_clock(struct tsdl_parser *parser, const struct tsdl_entry *entry) {
    struct tsdl *tsdl = parser->tsdl;
    int64_t value = entry->negative ? -(int64_t)(entry->number & INT64_MAX)
                                    : (int64_t)(entry->number & INT64_MAX);

    if (entry->token == TSDL_NUMBER && entry->number > INT64_MAX)
        return tsdl_refuse(parser, "a large number of a clock");
    if (is_entry(entry, "name", TSDL_WORD) || is_entry(entry, "name", TSDL_TEXT))
        tsdl->clock = entry->word;
    else if (is_entry(entry, "freq", TSDL_NUMBER))
        tsdl->frequency = entry->negative ? 0 : entry->number;
    else if (is_entry(entry, "offset_s", TSDL_NUMBER))
        tsdl->offset_s = value;
    else if (is_entry(entry, "offset", TSDL_NUMBER))
        tsdl->offset = value;
    return true;
}

static bool take_stream(struct tsdl_parser *parser, const struct tsdl_entry *entry) {
    struct tsdl_stream *stream = &parser->tsdl->streams[parser->tsdl->stream_count - 1];

    if (is_entry(entry, "id", TSDL_NUMBER) && !entry->negative)
        stream->id = entry->number;
    else if (tsdl_is(entry->name, "packet.context"))
        stream->packet = entry->type;
    else if (tsdl_is(entry->name, "event.header"))
        stream->header = entry->type;
    else if (tsdl_is(entry->name, "event.context"))
        stream->context = entry->type;
    else
        return tsdl_refuse(parser, "a line of a stream");
    return true;
}

static bool take_event(struct tsdl_parser *parser, const struct tsdl_entry *entry) {
    struct tsdl_event *event = &parser->tsdl->events[parser->tsdl->event_count - 1];

    if (is_entry(entry, "id", TSDL_NUMBER) && !entry->negative)
        event->id = entry->number;
    else if (is_entry(entry, "stream_id", TSDL_NUMBER) && !entry->negative)
        event->stream = entry->number;
    else if (is_entry(entry, "name", TSDL_TEXT))
        event->name = entry->word;
    else if (tsdl_is(entry->name, "context") && entry->type)
        event->context = entry->type;
    else if (tsdl_is(entry->name, "fields") && entry->type)
        event->fields = entry->type;
    else if (is_entry(entry, "id", entry->token) || is_entry(entry, "stream_id", entry->token))
        return tsdl_refuse(parser, "a number of an event");
    return true;
}

static bool read_block(struct tsdl_parser *parser,
                       bool (*take)(struct tsdl_parser *, const struct tsdl_entry *)) {
    struct tsdl_entry entry;

    if (!tsdl_expect(parser, '{'))
        return false;
    while (!tsdl_take(parser, '}'))
        if (!read_entry(parser, &entry) || !take(parser, &entry))
            return false;
    return tsdl_expect(parser, ';');
}

/* Parses a block of a list whose last item is new. Removes the item if the block is refused. */
static bool read_item(struct tsdl_parser *parser, size_t *count,
                      bool (*take)(struct tsdl_parser *, const struct tsdl_entry *)) {
    if (read_block(parser, take))
        return true;
    --*count;
    return false;
}

static bool read_declaration(struct tsdl_parser *parser) {
    struct tsdl *tsdl = parser->tsdl;

    if (tsdl_take_word(parser, "typealias"))
        return tsdl_read_alias(parser);
    if (tsdl_take_word(parser, "trace"))
        return read_block(parser, take_trace);
    if (tsdl_take_word(parser, "env"))
        return read_block(parser, take_env);
    if (tsdl_take_word(parser, "clock")) {
        if (tsdl->has_clock)
            return tsdl_refuse(parser, "a second clock");
        tsdl->has_clock = true;
        return read_block(parser, take_clock);
    }
    if (tsdl_take_word(parser, "stream")) {
        if (tsdl->stream_count == MOST_STREAMS)
            return tsdl_refuse(parser, "many streams");
        *PINSIGHT_ADD(tsdl->streams, tsdl->stream_count, tsdl->stream_capacity) =
            (struct tsdl_stream){0};
        return read_item(parser, &tsdl->stream_count, take_stream);
    }
    if (tsdl_take_word(parser, "event")) {
        *PINSIGHT_ADD(tsdl->events, tsdl->event_count, tsdl->event_capacity) =
            (struct tsdl_event){0};
        return read_item(parser, &tsdl->event_count, take_event);
    }
    if (tsdl_is(parser->tokens.word, "struct") || tsdl_is(parser->tokens.word, "enum") ||
        tsdl_is(parser->tokens.word, "variant"))
        return tsdl_read_type(parser, 0) && tsdl_expect(parser, ';');
    return tsdl_refuse(parser, "a declaration");
}

const char *tsdl_read(struct tsdl *tsdl, const char *text) {
    struct tsdl_parser parser = {.tsdl = tsdl, .tokens = {.at = text}};

    *tsdl = (struct tsdl){.frequency = 1000000000, .vpid = -1};
    *PINSIGHT_ADD(tsdl->types, tsdl->type_count, tsdl->type_capacity) = (struct tsdl_type){0};
    *PINSIGHT_ADD(tsdl->members, tsdl->member_count, tsdl->member_capacity) =
        (struct tsdl_member){0};
    tsdl_next(&parser.tokens);
    while (parser.tokens.token != TSDL_END)
        if (parser.tokens.token != TSDL_WORD || !read_declaration(&parser))
            return parser.refused ? parser.refused : "a declaration without a word";
    return NULL;
}

void tsdl_clear(struct tsdl *tsdl) {
    free(tsdl->types);
    free(tsdl->members);
    free(tsdl->streams);
    free(tsdl->events);
    free(tsdl->aliases);
    *tsdl = (struct tsdl){0};
}

bool tsdl_is(struct tsdl_word word, const char *text) {
    return strlen(text) == word.length && memcmp(word.at, text, word.length) == 0;
}

const struct tsdl_member *tsdl_member(const struct tsdl *tsdl, uint32_t type, const char *name) {
    uint32_t number =
        tsdl->types[type].kind == TSDL_STRUCT || tsdl->types[type].kind == TSDL_VARIANT
            ? tsdl->types[type].first
            : 0;

    for (; number; number = tsdl->members[number].next) {
        struct tsdl_word word = tsdl->members[number].name;

        if (word.length && word.at[0] == '_') {
            word.at++;
            word.length--;
        }
        if (tsdl_is(word, name))
            return &tsdl->members[number];
    }
    return NULL;
}

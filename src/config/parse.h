/* What the parts of the parser share; nobody else includes this. */
#ifndef PINSIGHT_CONFIG_PARSE_H
#define PINSIGHT_CONFIG_PARSE_H

#include "base/arena.h"
#include "config/config.h"
#include "config/scan.h"

/* The state of one reading, by one thread. */
struct pinsight_config_parser {
    const struct pinsight_description *domains;
    size_t domain_count;
    struct pinsight_arena *arena;
    struct pinsight_config_errors *errors;
    struct pinsight_config_reader reader;
    struct pinsight_config_section *first, *last; /* sections so far */
    const char *path;                             /* in the arena */
    unsigned seen[PINSIGHT_KEYS]; /* the line of each key in this section block, 0 for none */
    bool no_memory;
};

/* `size` bytes from the arena, or NULL and no_memory. */
void *pinsight_config_take(struct pinsight_config_parser *parser, size_t size);

/* The text of a piece without quotes, in the arena, or NULL and no_memory. */
char *pinsight_config_text(struct pinsight_config_parser *parser,
                           struct pinsight_config_piece piece);

/* Puts a section at the end of the list. */
void pinsight_config_append(struct pinsight_config_parser *parser,
                            struct pinsight_config_section *section);

/* Adds an error at the start of a piece. */
#define PINSIGHT_CONFIG_ERROR(parser, piece, ...)                                                  \
    pinsight_config_error((parser)->errors, (piece).line, (piece).column, __VA_ARGS__)

/* The most words that may be valid at one place. */
#define PINSIGHT_CONFIG_WORDS_MAX (PINSIGHT_EVENT_KINDS_MAX + 8)

/*
 * The number of the word of `words` (ended by NULL) that the piece is, or -1 after an error
 * "unknown <what> '<piece>'<where>; did you mean ...". `where` may be "".
 */
int pinsight_config_choose(struct pinsight_config_parser *parser,
                           struct pinsight_config_piece piece, const char *const *words,
                           const char *what, const char *where);

/*
 * The domain that a piece names, or -1 after an error as above; or, for the word `more` if that is
 * not NULL, the number of domains. A domain that only other builds have gets an error of its own.
 */
int pinsight_config_choose_domain(struct pinsight_config_parser *parser,
                                  struct pinsight_config_piece piece, const char *more,
                                  const char *what, const char *where);

/* The mode that a piece names, or -1 after an error. */
int pinsight_config_choose_mode(struct pinsight_config_parser *parser,
                                struct pinsight_config_piece piece);

/* Reads sections from parser->reader to the end. */
void pinsight_config_parse(struct pinsight_config_parser *parser);

/* The section of a line that begins with '[', or NULL after an error. */
struct pinsight_config_section *pinsight_config_header(struct pinsight_config_parser *parser,
                                                       struct pinsight_config_piece line);

/* The content of Lexgion(...) into a section's domain and selector; false after an error. */
bool pinsight_config_selector_read(struct pinsight_config_parser *parser,
                                   struct pinsight_config_piece piece,
                                   struct pinsight_config_section *section);

/* Ranges from pieces that were separated by commas; false after an error. */
bool pinsight_config_ranges_read(struct pinsight_config_parser *parser,
                                 const struct pinsight_config_piece *items, size_t count,
                                 struct pinsight_config_ranges *ranges);

/* The pieces between commas of one piece, in the arena; NULL after an error or without memory. */
struct pinsight_config_piece *pinsight_config_split(struct pinsight_config_parser *parser,
                                                    struct pinsight_config_piece piece,
                                                    size_t *count);

/* Reads the value of a key, whose line goes on at `rest`, and further lines if it is a list. Fills
 * the setting's value; false after an error. */
bool pinsight_config_value(struct pinsight_config_parser *parser,
                           const struct pinsight_config_section *section,
                           struct pinsight_config_piece key, struct pinsight_config_piece rest,
                           struct pinsight_config_setting *setting);

/* Passes over further lines of a value that is not looked at. */
void pinsight_config_skip_value(struct pinsight_config_parser *parser,
                                struct pinsight_config_piece rest);

/* Reads trace_mode_after from its pieces; false after an error. */
bool pinsight_config_after_read(struct pinsight_config_parser *parser,
                                const struct pinsight_config_piece *items, size_t count,
                                struct pinsight_config_after *after);

/* Seconds, with at most nine decimals, as nanoseconds; false without an error said. */
bool pinsight_config_seconds(struct pinsight_config_piece piece, int64_t *ns);

/* The sections of what holds without a file. */
void pinsight_config_defaults(struct pinsight_config_parser *parser);

/* The sections that the environment gives. */
void pinsight_config_environment(struct pinsight_config_parser *parser,
                                 const char *(*environment)(const char *name));

/* The largest file that is read, in bytes. */
#define PINSIGHT_CONFIG_FILE_MAX ((size_t)1 << 20)

/* The content of a whole file, for the caller to free; NULL after an error. A pipe may be silent
 * for 5 s. */
char *pinsight_config_file(struct pinsight_config_parser *parser, const char *path, size_t *length);

#endif

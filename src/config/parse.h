/* Declarations that the parts of the parser share. Internal to src/config. */
#ifndef PINSIGHT_CONFIG_PARSE_H
#define PINSIGHT_CONFIG_PARSE_H

#include "base/arena.h"
#include "config/config.h"
#include "config/scan.h"

/* The state of a parser. Not thread-safe. */
struct pinsight_config_parser {
    const struct pinsight_description *domains;
    size_t domain_count;
    struct pinsight_arena *arena;
    struct pinsight_config_errors *errors;
    struct pinsight_config_reader reader;
    struct pinsight_config_section *first, *last; /* sections so far */
    const char *path;                             /* in the arena */
    unsigned seen[PINSIGHT_KEYS]; /* line of each key in this section block, 0 for none */
    bool no_memory;
};

/* Allocates `size` bytes from the arena. Without memory, sets no_memory and returns NULL. */
void *pinsight_config_take(struct pinsight_config_parser *parser, size_t size);

/* Copies the text of a piece, without quotes, into the arena. Without memory, sets no_memory and
 * returns NULL. */
char *pinsight_config_text(struct pinsight_config_parser *parser,
                           struct pinsight_config_piece piece);

/* Appends a section to the list. */
void pinsight_config_append(struct pinsight_config_parser *parser,
                            struct pinsight_config_section *section);

/* Adds an error at the start of a piece. */
#define PINSIGHT_CONFIG_ERROR(parser, piece, ...)                                                  \
    pinsight_config_error((parser)->errors, (piece).line, (piece).column, __VA_ARGS__)

/* The maximal number of valid words at one place. */
#define PINSIGHT_CONFIG_WORDS_MAX (PINSIGHT_EVENT_KINDS_MAX + 8)

/*
 * Returns the index of the piece in `words`, which ends with NULL. If the piece is not in the list,
 * adds the error "unknown <what> '<piece>'<where>; did you mean ..." and returns -1. `where` may be
 * "".
 */
int pinsight_config_choose(struct pinsight_config_parser *parser,
                           struct pinsight_config_piece piece, const char *const *words,
                           const char *what, const char *where);

/*
 * Returns the number of the domain that a piece names, or -1 after an error like that of
 * pinsight_config_choose(). If `more` is not NULL and the piece is that word, returns the number of
 * domains. A domain that only other builds have gets an error of its own.
 */
int pinsight_config_choose_domain(struct pinsight_config_parser *parser,
                                  struct pinsight_config_piece piece, const char *more,
                                  const char *what, const char *where);

/* Returns the mode that a piece names, or -1 after an error. */
int pinsight_config_choose_mode(struct pinsight_config_parser *parser,
                                struct pinsight_config_piece piece);

/* Parses the sections from parser->reader to the end. */
void pinsight_config_parse(struct pinsight_config_parser *parser);

/* Parses a line that begins with '['. Returns its section, or NULL after an error. */
struct pinsight_config_section *pinsight_config_header(struct pinsight_config_parser *parser,
                                                       struct pinsight_config_piece line);

/* Parses the content of Lexgion(...) into a section's domain and selector. Returns false after an
 * error. */
bool pinsight_config_selector_read(struct pinsight_config_parser *parser,
                                   struct pinsight_config_piece piece,
                                   struct pinsight_config_section *section);

/* Parses ranges from pieces between commas. If the units are `named`, a piece without numbers is a
 * name. Returns false after an error. */
bool pinsight_config_ranges_read(struct pinsight_config_parser *parser,
                                 const struct pinsight_config_piece *items, size_t count,
                                 bool named, struct pinsight_config_ranges *ranges);

/* Splits a piece at its commas. Returns an array in the arena, or NULL after an error or without
 * memory. */
struct pinsight_config_piece *pinsight_config_split(struct pinsight_config_parser *parser,
                                                    struct pinsight_config_piece piece,
                                                    size_t *count);

/* Parses the value of a key. Its line continues at `rest`; a list may continue on further lines.
 * Fills the setting's value. Returns false after an error. */
bool pinsight_config_value(struct pinsight_config_parser *parser,
                           const struct pinsight_config_section *section,
                           struct pinsight_config_piece key, struct pinsight_config_piece rest,
                           struct pinsight_config_setting *setting);

/* Skips the further lines of a value. */
void pinsight_config_skip_value(struct pinsight_config_parser *parser,
                                struct pinsight_config_piece rest);

/* Parses trace_mode_after from its pieces. Returns false after an error. */
bool pinsight_config_after_read(struct pinsight_config_parser *parser,
                                const struct pinsight_config_piece *items, size_t count,
                                struct pinsight_config_after *after);

/* Parses seconds with at most nine decimals into nanoseconds. Returns false, without an error, if
 * the piece is not such a number. */
bool pinsight_config_seconds(struct pinsight_config_piece piece, int64_t *ns);

/* Appends the sections of the defaults. */
void pinsight_config_defaults(struct pinsight_config_parser *parser);

/* Appends the sections that the environment defines. */
void pinsight_config_environment(struct pinsight_config_parser *parser,
                                 const char *(*environment)(const char *name));

/* The maximal size of a file, in bytes. */
#define PINSIGHT_CONFIG_FILE_MAX ((size_t)1 << 20)

/* Reads a whole file, which the caller frees. Returns NULL after an error. A pipe may be silent for
 * 5 s. */
char *pinsight_config_file(struct pinsight_config_parser *parser, const char *path, size_t *length);

#endif

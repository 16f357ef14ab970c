/*
 * Configuration: what to record, of which code, how often, and what comes after.
 *
 * A configuration is read from a file (INI), the environment and the built-in defaults, and never
 * changes after that: any number of threads may look at one, and it lives until it is freed. What
 * may stand in it follows from the descriptions of the domains, so a new domain needs nothing here.
 *
 * All that is known lies in a list of sections: those of the defaults, those of the file in its
 * order, those of the environment. A setting is looked up by walking over the sections that apply
 * and keeping the strongest; lookup.c has the order of strength.
 *
 * No function here has state of its own. None allocates except pinsight_config_read.
 */
#ifndef PINSIGHT_CONFIG_CONFIG_H
#define PINSIGHT_CONFIG_CONFIG_H

#include "config/errors.h"
#include "events/description.h"
#include "pinsight/pinsight.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pinsight_config_key {
    PINSIGHT_KEY_TRACE_MODE, /* the first five: of a domain */
    PINSIGHT_KEY_EVENTS,
    PINSIGHT_KEY_MODULE_FILTER,
    PINSIGHT_KEY_MODULE_EXCLUDE,
    PINSIGHT_KEY_NAMES,
    PINSIGHT_KEY_RANGE,     /* of a kind of parallel unit */
    PINSIGHT_KEY_STARTS_AT, /* from here on: of a lexgion */
    PINSIGHT_KEY_RATE,
    PINSIGHT_KEY_MAX_TRACES,
    PINSIGHT_KEY_TIMEOUT,
    PINSIGHT_KEY_MODE_AFTER,
    PINSIGHT_KEYS
};

/* Where a value comes from. */
enum pinsight_config_source {
    PINSIGHT_FROM_DEFAULT,
    PINSIGHT_FROM_FILE,
    PINSIGHT_FROM_ENVIRONMENT,
};

struct pinsight_config_origin {
    enum pinsight_config_source source;
    const char *name; /* the file as it was named, or the variable; NULL for a default */
    unsigned line;    /* in the file, from 1; else 0 */
};

/* Numbers of parallel units: the ranges hold both their ends. None at all stands for every unit. */
struct pinsight_config_ranges {
    size_t count;
    const struct pinsight_config_range { uint32_t first, last; } * items;
};

/* Names of modules. None at all: of a filter, every module; of an exclusion, no module. */
struct pinsight_config_list {
    size_t count;
    const char *const *items;
};

/* What comes after a window. */
enum pinsight_config_after_kind {
    PINSIGHT_AFTER_LEXGION,    /* this lexgion goes on in `mode` */
    PINSIGHT_AFTER_DOMAINS,    /* the domains of the list go into modes of their own */
    PINSIGHT_AFTER_INTROSPECT, /* an introspection, and then `mode` */
};

struct pinsight_config_after {
    enum pinsight_config_after_kind kind;
    enum pinsight_mode mode;
    size_t count; /* of domains */
    const struct pinsight_config_domain_mode {
        unsigned domain; /* number in the descriptions */
        enum pinsight_mode mode;
    } * domains;
    int64_t pause_ns;           /* of an introspection; 0 does not pause, -1 waits without limit */
    const char *script;         /* its path, from the file's folder on; NULL for none ("-") */
    const char *script_written; /* as the file has it */
};

/* One key with its value. */
struct pinsight_config_setting {
    enum pinsight_config_key key;
    struct pinsight_config_origin origin;
    const struct pinsight_config_section *section; /* that it stands in */
    union {
        enum pinsight_mode mode;
        uint64_t events; /* bit n is event kind n of the domain's description */
        struct pinsight_config_list modules;
        bool registry; /* names = registry */
        struct pinsight_config_ranges ranges;
        int64_t number; /* executions; max_num_traces is -1 for no limit; window_timeout in ns */
        struct pinsight_config_after after;
    };
};

/* A limit of a section to units of a domain: MPI.rank(0). All limits of a section have to hold. */
struct pinsight_config_limit {
    unsigned domain;
    unsigned punit; /* number in the domain's punit_kinds */
    struct pinsight_config_ranges ranges;
};

/* Which region of code a section [Lexgion(...)] means. Patterns have shell wildcards. */
struct pinsight_config_selector {
    enum pinsight_selector_kind kind;
    const char *file;   /* source file, or object; NULL where a symbol is meant */
    const char *name;   /* qualified name, C callee or symbol; NULL where an offset is meant */
    uint64_t offset;    /* bytes from the start of the object */
    bool exact;         /* no wildcard in it */
    unsigned precision; /* letters that are not wildcards */
};

enum pinsight_config_section_kind {
    PINSIGHT_SECTION_DOMAIN,
    PINSIGHT_SECTION_PUNIT,
    PINSIGHT_SECTION_LEXGIONS,        /* [Lexgion.default] */
    PINSIGHT_SECTION_DOMAIN_LEXGIONS, /* [Lexgion.Python] */
    PINSIGHT_SECTION_LEXGION,         /* [Lexgion(...)] */
};

struct pinsight_config_section {
    enum pinsight_config_section_kind kind;
    struct pinsight_config_origin origin;
    const char *title; /* as it would be written, without limits: "[Python.punit.thread]" */
    unsigned domain;   /* not of [Lexgion.default] */
    unsigned punit;    /* of a punit section */
    struct pinsight_config_selector selector;
    size_t limit_count;
    const struct pinsight_config_limit *limits;
    const struct pinsight_config_setting *settings[PINSIGHT_KEYS]; /* NULL where not set */
    const struct pinsight_config_section *next;
};

struct pinsight_config {
    const struct pinsight_description *domains;
    size_t domain_count;
    const char *path; /* of the file, NULL without one */
    const struct pinsight_config_section *sections;
    struct pinsight_arena *arena; /* owns all of it */
};

/* ---- reading ---- */

/* What to read. The descriptions have to outlive the configuration; all else is copied. */
struct pinsight_config_input {
    const struct pinsight_description *domains;
    size_t domain_count;
    const char *path; /* what messages call the file; NULL for no file */
    const char *text; /* its content if the caller has it (any bytes), else NULL: path is opened */
    size_t length;    /* of text, in bytes */
    /* The value of an environment variable or NULL, such as getenv; NULL leaves the environment
     * out. PINSIGHT_CONFIG is read where path is NULL; PINSIGHT_TRACE_<DOMAIN>, PINSIGHT_DOMAINS,
     * PINSIGHT_EVENTS and PINSIGHT_NAMES always. */
    const char *(*environment)(const char *name);
};

/*
 * Reads a configuration. Returns it, to be freed with pinsight_config_free; or NULL with at least
 * one entry in `errors`, which is overwritten. Any thread, if `environment` permits.
 */
struct pinsight_config *pinsight_config_read(const struct pinsight_config_input *input,
                                             struct pinsight_config_errors *errors);

/* Frees it with all that its pointers lead to. NULL is allowed. */
void pinsight_config_free(struct pinsight_config *config);

/* ---- looking up; any thread, no allocation ---- */

/* Who asks: the number of a unit of a domain that the asking thread is (its rank, its number), or
 * -1 where that is not known, or there is none; a limit to it then does not hold. */
struct pinsight_config_place {
    int64_t (*unit)(const void *data, unsigned domain, unsigned punit);
    const void *data;
};

/* A region of code to be resolved. What is not known is NULL. */
struct pinsight_config_region {
    unsigned domain;
    enum pinsight_selector_kind kind;
    const char *file; /* source file, or path of the object */
    const char *name; /* qualified name, C callee or symbol */
    bool has_offset;  /* of native code */
    uint64_t offset;  /* bytes from the start of the object */
};

/* The setting in force of a domain's key (the first five), never NULL for a key that the domain
 * has, else NULL. `place` may be NULL: limited sections then do not count. */
const struct pinsight_config_setting *
pinsight_config_domain_setting(const struct pinsight_config *config, unsigned domain,
                               enum pinsight_config_key key,
                               const struct pinsight_config_place *place);

/* The range in force for a kind of parallel unit, never NULL. */
const struct pinsight_config_setting *
pinsight_config_punit_range(const struct pinsight_config *config, unsigned domain, unsigned punit,
                            const struct pinsight_config_place *place);

/* The setting in force of a lexgion's key for a region, never NULL. */
const struct pinsight_config_setting *pinsight_config_lexgion_setting(
    const struct pinsight_config *config, const struct pinsight_config_region *region,
    enum pinsight_config_key key, const struct pinsight_config_place *place);

/* The settings of all of a lexgion's keys, none NULL. */
struct pinsight_config_window {
    const struct pinsight_config_setting *starts_at, *rate, *max_traces, *timeout, *mode_after;
};

/* The same for all keys of a region in one walk: what to ask once and keep. */
void pinsight_config_window(const struct pinsight_config *config,
                            const struct pinsight_config_region *region,
                            const struct pinsight_config_place *place,
                            struct pinsight_config_window *window);

/* Is no region of this kind recorded, whatever its name is: each window ends before it begins, and
 * nothing but STANDBY or OFF of the region itself comes after? No is also the answer where a limit
 * would have to hold that does not hold now, or cease to. */
bool pinsight_config_none_recorded(const struct pinsight_config *config, unsigned domain,
                                   enum pinsight_selector_kind kind,
                                   const struct pinsight_config_place *place);

/* Is `number` in the ranges? */
bool pinsight_config_in_ranges(const struct pinsight_config_ranges *ranges, uint32_t number);

/* Is the module, or a package that it is in, on the list? "numpy.linalg" is in "numpy". */
bool pinsight_config_in_modules(const struct pinsight_config_list *list, const char *module);

/* Do the limits of a section hold at `place`? */
bool pinsight_config_limits_hold(const struct pinsight_config_section *section,
                                 const struct pinsight_config_place *place);

/* Does a lexgion's section apply to a region, limits apart? */
bool pinsight_config_section_matches(const struct pinsight_config_section *section,
                                     const struct pinsight_config_region *region);

/* Which of two sections for the same thing is stronger: > 0 if `a` is, < 0 if `b` is. `a` stands
 * after `b` in the list. `why`, if not NULL, gets a static text that says why the stronger wins. */
int pinsight_config_stronger(const struct pinsight_config_section *a,
                             const struct pinsight_config_section *b, const char **why);

/* ---- text ---- */

/* The key's word. */
const char *pinsight_config_key_word(enum pinsight_config_key key);

/* Can a section of this kind, of this domain, have the key? */
bool pinsight_config_key_allowed(enum pinsight_config_section_kind kind,
                                 const struct pinsight_description *domain,
                                 enum pinsight_config_key key);

/* The mode's word, in capitals. */
const char *pinsight_config_mode_word(enum pinsight_mode mode);

/* Writes a value as a file would have it, quoted where needed; returns `text`. Cut off at room. */
const char *pinsight_config_format(const struct pinsight_config *config,
                                   const struct pinsight_config_setting *setting, char *text,
                                   size_t room);

/* Writes ranges as a file would have them; returns `text`. */
const char *pinsight_config_format_ranges(const struct pinsight_config_ranges *ranges, char *text,
                                          size_t room);

/* Writes the limits of a section, "MPI.rank(0), Python.thread(1)"; "" for none. Returns `text`. */
const char *pinsight_config_format_limits(const struct pinsight_config *config,
                                          const struct pinsight_config_section *section, char *text,
                                          size_t room);

/* Writes "default", "FILE:LINE" or "environment, NAME"; returns `text`. */
const char *pinsight_config_format_origin(const struct pinsight_config_origin *origin, char *text,
                                          size_t room);

/*
 * Reads the name of one region, in the form of [Lexgion(...)] without wildcards:
 * "Python:solver.py:Solver.step", "Python:c:numpy.dot", "OpenMP:libblas.so+0x4010". The strings
 * are written to `store`. Returns 0, or -1 with a text in `error`.
 */
int pinsight_config_region_read(const struct pinsight_description *domains, size_t domain_count,
                                const char *text, struct pinsight_config_region *region,
                                char *store, size_t store_room, char *error, size_t error_room);

/* A commented configuration to start from, for long runs on many cores. */
extern const char pinsight_config_template[];

#endif

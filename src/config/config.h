/*
 * Configurations: what to record, in which code, how often, and which mode follows.
 *
 * A configuration is read from the built-in defaults, a file (INI) and the environment. It never
 * changes after that; any number of threads may read it until it is freed. The descriptions of the
 * domains define the valid sections, keys and values. A new domain therefore needs no code here.
 *
 * A configuration is a list of sections: first the defaults, then the file's sections in their
 * order, then the environment's. A look-up visits the sections that apply and keeps the strongest
 * setting; lookup.c defines the order of strength.
 *
 * No function here has static state. Only pinsight_config_read allocates.
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
    PINSIGHT_KEY_TRACE_MODE, /* keys of a domain: those before range */
    PINSIGHT_KEY_EVENTS,
    PINSIGHT_KEY_MODULE_FILTER,
    PINSIGHT_KEY_MODULE_EXCLUDE,
    PINSIGHT_KEY_NAMES,
    PINSIGHT_KEY_IMPORT,
    PINSIGHT_KEY_ALLOCATIONS,
    PINSIGHT_KEY_EXCEPTIONS,
    PINSIGHT_KEY_OPERATORS,
    PINSIGHT_KEY_PROPERTIES,
    PINSIGHT_KEY_DEVICE_ACTIVITY,
    PINSIGHT_KEY_SHORTEST_VECTOR,
    PINSIGHT_KEY_NESTED,
    PINSIGHT_KEY_BUDGET,
    PINSIGHT_KEY_MINE,
    PINSIGHT_KEY_RANGE,     /* of a kind of parallel unit */
    PINSIGHT_KEY_STARTS_AT, /* keys of a lexgion: from here on */
    PINSIGHT_KEY_RATE,
    PINSIGHT_KEY_MAX_TRACES,
    PINSIGHT_KEY_TIMEOUT,
    PINSIGHT_KEY_MODE_AFTER,
    PINSIGHT_KEY_LINES,
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
    const char *name; /* the file name as given, or the variable; NULL for a default */
    unsigned line;    /* line in the file, from 1; else 0 */
};

/* Numbers of parallel units, and names of those that have some. A range includes both its ends.
 * Neither range nor name means every unit. */
struct pinsight_config_ranges {
    size_t count;
    const struct pinsight_config_range { uint32_t first, last; } * items;
    size_t name_count;
    const char *const *names; /* with shell wildcards */
};

/* Names of modules or types. An empty filter selects every module; an empty exclusion excludes
 * none.
 */
struct pinsight_config_list {
    size_t count;
    const char *const *items;
};

/* The action when a window has ended. */
enum pinsight_config_after_kind {
    PINSIGHT_AFTER_LEXGION,    /* this lexgion continues in `mode` */
    PINSIGHT_AFTER_DOMAINS,    /* each listed domain changes to its own mode */
    PINSIGHT_AFTER_INTROSPECT, /* an introspection, and then `mode` */
};

struct pinsight_config_after {
    enum pinsight_config_after_kind kind;
    enum pinsight_mode mode;
    size_t count; /* number of `domains` */
    const struct pinsight_config_domain_mode {
        unsigned domain; /* number in the descriptions */
        enum pinsight_mode mode;
    } * domains;
    int64_t pause_ns;           /* of an introspection; 0 does not pause, -1 waits without limit */
    const char *script;         /* absolute, or below the file's folder; NULL for none ("-") */
    const char *script_written; /* the script as written in the file */
};

/* The recorded part of the code that runs within imports. */
enum pinsight_import_events {
    PINSIGHT_IMPORT_MODULES, /* the import of each module, and the user's code */
    PINSIGHT_IMPORT_FULL,    /* the same events as outside imports */
};

/* The counted part of allocations. */
enum pinsight_allocations {
    PINSIGHT_ALLOCATIONS_OFF,
    PINSIGHT_ALLOCATIONS_ON,   /* all allocated memory */
    PINSIGHT_ALLOCATIONS_LIVE, /* also the part that was not freed */
};

/* The records of devices' activity. */
enum pinsight_device_activity {
    PINSIGHT_DEVICE_ACTIVITY_OFF,
    PINSIGHT_DEVICE_ACTIVITY_ON,           /* a graph that is launched is one record */
    PINSIGHT_DEVICE_ACTIVITY_ONE_PER_NODE, /* each node of a graph has a record */
};

/* The default of shortest_vector, in elements: 32 KiB of doubles, about the size of a processor's
 * innermost cache. */
#define PINSIGHT_SHORTEST_VECTOR 4096

/* One key with its value. */
struct pinsight_config_setting {
    enum pinsight_config_key key;
    struct pinsight_config_origin origin;
    const struct pinsight_config_section *section; /* the section that contains it */
    union {
        enum pinsight_mode mode;
        uint64_t events; /* bit n is event kind n of the domain's description */
        struct pinsight_config_list modules;
        struct pinsight_config_list types; /* for operators, properties and mine */
        bool registry;                     /* names = registry */
        unsigned choice;                   /* index of a word of pinsight_config_choices() */
        struct pinsight_config_ranges ranges;
        int64_t number; /* executions; max_num_traces is -1 for no limit; window_timeout in ns;
                         * shortest_vector in elements; budget in thousandths of a percent, 0 for
                         * no limit */
        struct pinsight_config_after after;
    };
};

/* A condition that limits a section to units of a domain: MPI.rank(0). All limits of a section must
 * hold. */
struct pinsight_config_limit {
    unsigned domain;
    unsigned punit; /* index in the domain's punit_kinds */
    struct pinsight_config_ranges ranges;
};

/* The regions of code that a section [Lexgion(...)] selects. Patterns may have shell wildcards. */
struct pinsight_config_selector {
    enum pinsight_selector_kind kind;
    const char *file;   /* source file or object; NULL for a symbol */
    const char *name;   /* qualified name, C callee or symbol; NULL for an offset */
    uint64_t offset;    /* bytes from the start of the object */
    bool exact;         /* the pattern has no wildcard */
    unsigned precision; /* number of letters that are not wildcards */
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
    const char *title; /* written form without limits: "[Python.punit.thread]" */
    unsigned domain;   /* undefined for [Lexgion.default] */
    unsigned punit;    /* of a punit section */
    struct pinsight_config_selector selector;
    size_t limit_count;
    const struct pinsight_config_limit *limits;
    const struct pinsight_config_setting *settings[PINSIGHT_KEYS]; /* NULL: no setting */
    const struct pinsight_config_section *next;
};

struct pinsight_config {
    const struct pinsight_description *domains;
    size_t domain_count;
    const char *path; /* of the file, NULL without one */
    const struct pinsight_config_section *sections;
    struct pinsight_arena *arena; /* owns all memory of the configuration */
};

/* ---- reading ---- */

/* The input of a configuration. The descriptions must outlive the configuration; everything else is
 * copied. */
struct pinsight_config_input {
    const struct pinsight_description *domains;
    size_t domain_count;
    const char *path; /* the file's name in messages; NULL for no file */
    const char *text; /* content of the file, any bytes; NULL: `path` is opened */
    size_t length;    /* of text, in bytes */
    /* Returns the value of an environment variable or NULL, like getenv(). NULL leaves out the
     * environment. Always read: PINSIGHT_TRACE_<DOMAIN>, PINSIGHT_DOMAINS, and the variables for
     * keys of one domain, such as PINSIGHT_EVENTS (environment.c). If `path` is NULL,
     * PINSIGHT_CONFIG is read, too. */
    const char *(*environment)(const char *name);
};

/*
 * Reads a configuration, which the caller frees with pinsight_config_free. Overwrites `errors`. On
 * an error, returns NULL with at least one entry in `errors`. Thread-safe if `environment` is.
 */
struct pinsight_config *pinsight_config_read(const struct pinsight_config_input *input,
                                             struct pinsight_config_errors *errors);

/* Frees a configuration and everything that it points to. NULL is allowed. */
void pinsight_config_free(struct pinsight_config *config);

/* ---- looking up; any thread, no allocation ---- */

/* The place of a thread: `unit` returns the thread's number as a unit of a domain (its rank, its
 * thread number), or -1 if there is none or it is unknown. A limit to an unknown unit does not
 * hold. */
struct pinsight_config_place {
    int64_t (*unit)(const void *data, unsigned domain, unsigned punit);
    const void *data;
};

/* A region of code whose settings are looked up. Unknown texts are NULL. */
struct pinsight_config_region {
    unsigned domain;
    enum pinsight_selector_kind kind;
    const char *file; /* source file, or path of the object */
    const char *name; /* qualified name, C callee or symbol */
    /* The called function of the runtime, if `name` is more specific (the kernel of a launch), else
     * NULL. A selector may name either. */
    const char *call;
    bool has_offset; /* false for code that is not native */
    uint64_t offset; /* bytes from the start of the object */
};

/* Returns the setting in force of a domain's key (one of the first ten). Returns NULL only if the
 * domain does not have the key. If `place` is NULL, sections with limits do not apply. */
const struct pinsight_config_setting *
pinsight_config_domain_setting(const struct pinsight_config *config, unsigned domain,
                               enum pinsight_config_key key,
                               const struct pinsight_config_place *place);

/* Returns the range in force for a kind of parallel unit, never NULL. */
const struct pinsight_config_setting *
pinsight_config_punit_range(const struct pinsight_config *config, unsigned domain, unsigned punit,
                            const struct pinsight_config_place *place);

/* Returns the setting in force of a lexgion's key for a region, never NULL. */
const struct pinsight_config_setting *pinsight_config_lexgion_setting(
    const struct pinsight_config *config, const struct pinsight_config_region *region,
    enum pinsight_config_key key, const struct pinsight_config_place *place);

/* The settings of all of a lexgion's keys, none NULL. */
struct pinsight_config_window {
    const struct pinsight_config_setting *starts_at, *rate, *max_traces, *timeout, *mode_after;
};

/* Returns the setting `lines` in force for a region of source code. */
static inline bool pinsight_config_lines(const struct pinsight_config *config,
                                         const struct pinsight_config_region *region,
                                         const struct pinsight_config_place *place) {
    return pinsight_config_lexgion_setting(config, region, PINSIGHT_KEY_LINES, place)->choice;
}

/* Looks up all keys of a region in one pass, for callers that keep the result. */
void pinsight_config_window(const struct pinsight_config *config,
                            const struct pinsight_config_region *region,
                            const struct pinsight_config_place *place,
                            struct pinsight_config_window *window);

/* Returns whether no region of this kind can be recorded, whatever its name: each window ends
 * before it begins, and the region itself then goes to STANDBY or OFF. Returns false if the answer
 * depends on a limit that may begin or cease to hold. */
bool pinsight_config_none_recorded(const struct pinsight_config *config, unsigned domain,
                                   enum pinsight_selector_kind kind,
                                   const struct pinsight_config_place *place);

/* Returns whether every execution of the domain's regions is recorded: no section can limit one,
 * whatever its name and whatever units there are. */
bool pinsight_config_all_recorded(const struct pinsight_config *config, unsigned domain);

/* Returns whether a unit is in the ranges by its number, or by one of its names, ended by NULL. A
 * negative number is none. */
bool pinsight_config_in_names(const struct pinsight_config_ranges *ranges, int64_t number,
                              const char *const *names);

/* Returns whether `number` is in the ranges. */
bool pinsight_config_in_ranges(const struct pinsight_config_ranges *ranges, uint32_t number);

/* Returns whether the list has the module or one of its packages: "numpy.linalg" is in "numpy". */
bool pinsight_config_in_modules(const struct pinsight_config_list *list, const char *module);

/* Returns whether the limits of a section hold at `place`. */
bool pinsight_config_limits_hold(const struct pinsight_config_section *section,
                                 const struct pinsight_config_place *place);

/* Returns whether a lexgion's section applies to a region. Limits are not considered. */
bool pinsight_config_section_matches(const struct pinsight_config_section *section,
                                     const struct pinsight_config_region *region);

/* Compares the strength of two sections for the same thing: > 0 if `a` is stronger, < 0 if `b` is.
 * `a` follows `b` in the list. `why`, if not NULL, receives a static text with the reason. */
int pinsight_config_stronger(const struct pinsight_config_section *a,
                             const struct pinsight_config_section *b, const char **why);

/* ---- text ---- */

/* Returns the key's word. */
const char *pinsight_config_key_word(enum pinsight_config_key key);

/* Returns the words that are valid for a key, ended by NULL. The value's `choice` is the index of a
 * word. Returns NULL for other keys. */
const char *const *pinsight_config_choices(enum pinsight_config_key key);

/* Returns whether a section of this kind, for this domain, may have the key. */
bool pinsight_config_key_allowed(enum pinsight_config_section_kind kind,
                                 const struct pinsight_description *domain,
                                 enum pinsight_config_key key);

/* Returns the mode's word in capitals. */
const char *pinsight_config_mode_word(enum pinsight_mode mode);

/* Writes a value in the form of a configuration file, quoted if necessary and cut off at `room`.
 * Returns `text`. */
const char *pinsight_config_format(const struct pinsight_config *config,
                                   const struct pinsight_config_setting *setting, char *text,
                                   size_t room);

/* Writes ranges in the form of a configuration file. Returns `text`. */
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

/* A commented configuration for long runs on many cores, as a start for users. A domain's
 * `template` lines may follow. */
extern const char pinsight_config_template[];

#endif

/*
 * What a domain says of itself in plain data, apart from the code that observes its runtime: the
 * command can know a domain without loading it. The tables are generated from those in src/events.
 */
#ifndef PINSIGHT_EVENTS_DESCRIPTION_H
#define PINSIGHT_EVENTS_DESCRIPTION_H

#include <stdbool.h>
#include <stddef.h>

/* A kind of event that a user can switch on and off by name. */
struct pinsight_event_descriptor {
    const char *name;
    bool on_by_default;
    const char *help; /* one line */
};

/* The most event kinds of one domain: a set of them is the bits of a uint64_t. */
#define PINSIGHT_EVENT_KINDS_MAX 64

/* How a region of a domain's code can be told from others; bits of `selectors` below. */
enum pinsight_selector_kind {
    PINSIGHT_SELECT_SOURCE = 1, /* source file and qualified name */
    PINSIGHT_SELECT_CALLEE = 2, /* the name of a C callable: c:numpy.dot */
    PINSIGHT_SELECT_NATIVE = 4, /* object and offset, or a symbol */
};

/* A variable of the environment, and a value for it. */
struct pinsight_variable {
    const char *name, *value;
};

/* A variable by which runtimes are told of a library to open. */
struct pinsight_tool {
    const char *variable;
    /* Others that they look at, with the values by which they tell that library more, ended by
     * NULL; where `kind` of events is on. NULL for none. */
    unsigned kind;
    const struct pinsight_variable *also;
};

/* A domain, as data. All is static. */
struct pinsight_description {
    const char *name;               /* "Python" */
    const char *const *punit_kinds; /* parallel units that a range can select, ended by NULL */
    const struct pinsight_event_descriptor *events;
    size_t event_count;
    unsigned selectors;  /* of enum pinsight_selector_kind */
    bool has_modules;    /* its code belongs to modules, by which it can be filtered */
    bool has_names;      /* its events can have names in them, or numbers that stand for names */
    bool has_operators;  /* operators of types can be recorded */
    bool has_properties; /* and so can their properties */
    /* Bit n: a unit of kind n of punit_kinds is a whole process, such as a rank; else it is a part
     * of one, such as a thread. */
    unsigned process_punits;
    /* How its runtimes are told of a library to open, ended by one without a variable, and ours;
     * NULL where the domain comes into a process in another way. */
    const struct pinsight_tool *tools;
    const char *tool_library;
    bool has_allocations;     /* what it allocates can be counted */
    bool has_device_activity; /* devices work for it, and tell what they did */
    bool has_import;          /* what runs within imports can be recorded, or left out */
    /* Its lines of the configuration that users start from, each a comment; NULL for none. */
    const char *template;
};

/* The domains that this build has. */
extern const struct pinsight_description pinsight_config_domains[];
extern const size_t pinsight_config_domain_count;

/* The names of all domains that have a table, also of those that nothing records yet; ended by
 * NULL. */
extern const char *const pinsight_domain_names[];

#endif

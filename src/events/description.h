/*
 * The descriptions of domains: plain data, apart from the code that observes a runtime, so that the
 * command can use them without loading the domain. Generated from the tables in src/events.
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

/* The ways to select a region of a domain's code; bits of `selectors` below. */
enum pinsight_selector_kind {
    PINSIGHT_SELECT_SOURCE = 1, /* source file and qualified name */
    PINSIGHT_SELECT_CALLEE = 2, /* the name of a C callable: c:numpy.dot */
    PINSIGHT_SELECT_NATIVE = 4, /* object and offset, or a symbol */
    PINSIGHT_SELECT_NAME = 8,   /* the name that the program gives */
};

/* An environment variable with a value. */
struct pinsight_variable {
    const char *name, *value;
};

/* An environment variable that names libraries for runtimes to open. */
struct pinsight_tool {
    const char *variable;
    /* Further variables that the runtimes read, with their values, ended by NULL; or NULL. They are
     * set if the `kind` of events is on. */
    unsigned kind;
    const struct pinsight_variable *also;
};

/* The description of a domain. All of it is static. */
struct pinsight_description {
    const char *name;               /* "Python" */
    const char *const *punit_kinds; /* parallel units that a range can select, ended by NULL */
    const struct pinsight_event_descriptor *events;
    size_t event_count;
    unsigned selectors;  /* of enum pinsight_selector_kind */
    bool has_modules;    /* the domain's code belongs to modules, which filters can name */
    bool has_names;      /* events can have names, or numbers that stand for names */
    bool has_operators;  /* operators of types can be recorded */
    bool has_properties; /* properties of types can be recorded */
    /* Bit n is set if a unit of kind n of punit_kinds is a whole process, such as a rank. Otherwise
     * the unit is a part of a process, such as a thread. */
    unsigned process_punits;
    /* Bit n is set if units of kind n have names, too, which their range may have. */
    unsigned named_punits;
    /* The variables that name the domain's library for its runtimes, ended by an entry without a
     * variable; and the file name of that library. NULL if the domain is loaded in another way. */
    const struct pinsight_tool *tools;
    const char *tool_library;
    bool has_allocations;     /* its allocations can be counted */
    bool has_exceptions;      /* its exceptions can be recorded */
    bool has_device_activity; /* devices work for the domain and report their work */
    bool has_shortest_vector; /* its calls with shorter vectors are counted, not recorded */
    bool has_nested;          /* calls within its recorded calls can be recorded */
    bool has_budget;          /* its recording can be held within a share of the program's time */
    bool has_import;          /* code that runs within imports can be recorded or left out */
    /* The program itself reports its work, and no runtime. A list of domains to observe does not
     * leave it out. */
    bool is_own;
    /* The domain's part of the configuration template, all lines comments; or NULL. */
    const char *template;
};

/* The domains that this build has. */
extern const struct pinsight_description pinsight_config_domains[];
extern const size_t pinsight_config_domain_count;

/* The names of all domains that have a table, including those that no code records yet; ended by
 * NULL. */
extern const char *const pinsight_domain_names[];

#endif

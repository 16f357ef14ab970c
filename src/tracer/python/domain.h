/* The Python domain: its descriptor, its settings, its start and its end. */
#ifndef PINSIGHT_PYTHON_DOMAIN_H
#define PINSIGHT_PYTHON_DOMAIN_H

#include "config/config.h"
#include "tracer/core/domain.h"
#include "tracer/python/lexgion.h"

extern struct pinsight_domain pinsight_python_domain __attribute__((visibility("hidden")));

/* The engine, and the current settings beyond those that the engine knows. Changed under the GIL.
 * Both are in one struct, so that one address serves for both. */
struct pinsight_python_settings {
    struct pinsight_engine engine;
    bool functions;  /* the event kind "function" is on */
    bool c_calls;    /* the event kind "c_call" is on */
    bool no_c_calls; /* no C call is recorded in TRACING, because of the windows */
    /* C calls are observed: the kind is on, and some may be wanted in this mode */
    bool sees_c_calls;
    bool imports;                          /* the event kind "import" is on */
    bool imports_apart;                    /* import = modules, see importing.h */
    uint64_t imported;                     /* imports that were seen */
    bool garbage;                          /* the event kind "gc" is on */
    bool gil;                              /* the event kind "gil" is on */
    bool locks;                            /* the event kind "lock" is on */
    bool tasks;                            /* the event kind "task" is on */
    bool generators;                       /* the event kind "generator" is on */
    bool exceptions;                       /* exceptions = on */
    bool lines;                            /* lines of some code are measured (lines.h) */
    enum pinsight_allocations allocations; /* counted allocations */
    /* "function" is off, or was off: some ends have no begin */
    bool some_functions;
    bool some_c_calls; /* "c_call" is off, or was off */
    bool has_modules;  /* modules are filtered */
    /* No thread that starts from now on can be in the range. */
    bool range_is_full;
    /* Some reported executions were not recorded. Never reset. */
    bool excludes;
    bool registry;              /* names = registry */
    bool active;                /* started in this process, and not yet ended */
    bool adopts;                /* threads adopt their open executions */
    bool observing;             /* callbacks are registered with the interpreter */
    enum pinsight_mode applied; /* the mode that the interpreter was brought to */
    /* share of the processor time that recording may cost, in thousandths of a percent; 0: any */
    uint32_t budget;
    struct pinsight_callback_cost cost;
};
extern struct pinsight_python_settings pinsight_python __attribute__((visibility("hidden")));

#define PINSIGHT_PYTHON_ENGINE                                                                     \
    {                                                                                              \
        .domain = &pinsight_python_domain, .owner = pinsight_python_owner,                         \
        .free = pinsight_python_lexgion_free, .wanted = pinsight_python_wanted,                    \
        .define = pinsight_python_define_now, .each_open = pinsight_python_each_open,              \
        .cost = &pinsight_python.cost, PINSIGHT_ENGINE_INIT,                                       \
    }

/*
 * Starts the domain in this process. Settings come from the environment. `events` (a
 * comma-separated list of kinds such as "function", or "none") and `names` ("inline" or "registry")
 * override them unless NULL. A second call takes new settings. Holds the GIL. Returns 0, or -1 with
 * a Python exception for an unknown word.
 */
int pinsight_python_activate(const char *events, const char *names);

/* Stops the observation and records the counts. pinsight_python_activate() starts again. Holds the
 * GIL. */
void pinsight_python_deactivate(void);

/* Notes whether the program has a stderr. Called before the first message. Holds the GIL. */
void pinsight_python_note_stderr(void);

/* Returns whether code of a module is wanted. For __main__, the module that `python -m` runs
 * decides. Holds the GIL. */
bool pinsight_module_wanted(const char *module);

/* A callback of the engine. */
void pinsight_python_each_open(struct pinsight_core_thread *core, pinsight_open_visit visit);

/* Returns whether a session listens to events that the settings switch on. */
bool pinsight_python_listening(void);

/* Records the counts since the last call. Holds the GIL. */
void pinsight_python_write_accounts(void);

/* Records the counts before the program calls a function that does not return. Holds the GIL. */
void pinsight_python_leaving(void);

/* Records domain_info, once for each session version of the process. */
void pinsight_python_describe(void);

/* Records the definitions again for a session that has begun to listen. */
void pinsight_python_redefine(void);

/* Returns whether C calls are observed in a mode. They are not if the windows exclude all of them,
 * unless some are still open and need their ends. Slow path. Holds the GIL. */
bool pinsight_python_looks_at_c_calls(enum pinsight_mode mode);

/* Returns the number of executions that a forked child's thread has from its parent. *import_frame
 * gets the frame of the import that the thread is in, or NULL. Can be asked once. */
uint32_t pinsight_python_inherited(void **import_frame);

/* The mechanism that observes this version of the interpreter (monitoring_tool.c or profile.c). All
 * hold the GIL. */
extern const char pinsight_python_mechanism[];
/* Registers callbacks for the settings and a mode (MONITORING or TRACING). Returns 0 or -1. */
int pinsight_observe_start(enum pinsight_mode mode);
/* Removes all events. `release` also releases resources that other tools could use (the tool id).
 */
void pinsight_observe_stop(bool release);

#endif

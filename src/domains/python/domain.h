/*
 * The Python domain as a whole: its descriptor, its settings, and switching it on and off.
 */
#ifndef PINSIGHT_PYTHON_DOMAIN_H
#define PINSIGHT_PYTHON_DOMAIN_H

#include "config/config.h"
#include "core/domain.h"
#include "domains/python/lexgion.h"

extern struct pinsight_domain pinsight_python_domain __attribute__((visibility("hidden")));

/* The engine, and what is in force beside what it knows; changed under the GIL. They stand
 * together, so that one address serves for both. */
struct pinsight_python_settings {
    struct pinsight_engine engine;
    bool functions;     /* the event kind "function" is on */
    bool c_calls;       /* the event kind "c_call" is on */
    bool no_c_calls;    /* and by the windows none is recorded while TRACING */
    bool sees_c_calls;  /* they are looked at: on, and in this mode some may be wanted */
    bool imports;       /* the event kind "import" is on */
    bool imports_apart; /* import = modules, see importing.h */
    bool imported;      /* an import was seen to begin */
    bool garbage;       /* the event kind "gc" is on */
    bool gil;           /* the event kind "gil" is on */
    bool locks;         /* the event kind "lock" is on */
    bool tasks;         /* the event kind "task" is on */
    bool generators;    /* the event kind "generator" is on */
    enum pinsight_allocations allocations; /* what is to be counted of allocations */
    bool some_functions;                   /* "function" is off, or was: some ends have no begin */
    bool some_c_calls;                     /* the same of "c_call" */
    bool has_modules;                      /* modules are filtered */
    bool range_is_full;                    /* no thread that starts from now on is in the range */
    bool excludes;                         /* some of what calls back was not recorded; for good */
    bool registry;                         /* names = registry */
    bool active;                           /* started in this process, and not yet ended */
    bool adopts;                           /* threads take over what they were in the middle of */
    bool observing;                        /* callbacks are registered with the interpreter */
    enum pinsight_mode applied;            /* the mode that the interpreter was brought into */
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
 * Start the domain in this process: settings from the environment, overridden by `events`
 * ("function", "c_call", comma-separated, or "none") and `names` ("inline" or "registry") where
 * they are not NULL. Starting again takes over new settings. Holds the GIL. Returns 0, or -1 with a
 * Python exception set for a word that is not known.
 */
int pinsight_python_activate(const char *events, const char *names);

/* Stop observing and write what was counted; pinsight_python_activate starts again. Holds the GIL.
 */
void pinsight_python_deactivate(void);

/* To be called before the first message. Holds the GIL. */
void pinsight_python_note_stderr(void);

/* Is code of this module wanted? Of __main__ it is if what `python -m` names is. Holds the GIL. */
bool pinsight_module_wanted(const char *module);

/* For the engine. */
void pinsight_python_each_open(struct pinsight_core_thread *core, pinsight_open_visit visit);

/* Does a session listen to the events that the settings make? */
bool pinsight_python_listening(void);

/* Write what was counted since the last time. Holds the GIL. */
void pinsight_python_write_accounts(void);

/* The program calls what does not come back: write the accounts while there is time. Holds the GIL.
 */
void pinsight_python_leaving(void);

/* Record domain_info, once for each session version of the process. */
void pinsight_python_describe(void);

/* A session began to listen: its trace has none of the definitions. */
void pinsight_python_redefine(void);

/* Are calls of C to be looked at in this mode? Not where the windows leave none that could be
 * wanted; but as long as some are open, for the sake of their ends. Slow path; holds the GIL. */
bool pinsight_python_looks_at_c_calls(enum pinsight_mode mode);

/* What a forked child's thread has from its parent: how many executions; and *import_frame, of the
 * import that it is within, or NULL. Asked once. */
uint32_t pinsight_python_inherited(void **import_frame);

/* The observation of an interpreter of this version (monitoring_tool.c or profile.c). All hold the
 * GIL.
 */
extern const char pinsight_python_mechanism[];
/* Register callbacks for the settings and `mode` (MONITORING or TRACING). Returns 0 or -1. */
int pinsight_observe_start(enum pinsight_mode mode);
/* Take every event away; `release` also gives back what others could use (the tool id). */
void pinsight_observe_stop(bool release);

#endif

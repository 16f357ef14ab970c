/* What the reader has to know of a domain: how its events come into the model, and what is to be
 * done with what the domain keeps. domains.def lists the domains. */
#ifndef PINSIGHT_READER_DOMAIN_H
#define PINSIGHT_READER_DOMAIN_H

#include "reader/events.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A number for each domain, which is also the place of what it keeps in a process, a thread and the
 * model (`state`). */
enum reader_domain_number {
#define DOMAIN(NUMBER, name) READER_##NUMBER,
#include "reader/domains.def"
#undef DOMAIN
    READER_DOMAINS
};

struct pinsight_binding;
struct pinsight_monitored;
struct pinsight_event;
struct pinsight_model;
struct pinsight_process;
struct pinsight_run;
struct pinsight_subject;
struct pinsight_thread;

/* All functions but `ingest` may be NULL. Times are nanoseconds of the trace's clock. */
struct reader_domain {
    const char *table; /* its event table: "openmp" */
    const char *name;  /* as events and configurations have it: "OpenMP" */
    /* Definitions that later chunks of a trace refer to, ended by PINSIGHT_EVENT_UNKNOWN; or NULL.
     */
    const enum pinsight_event_id *names;

    /* Takes an event of its table. */
    void (*ingest)(struct pinsight_model *model, const struct pinsight_event *event);
    /* Sets binding->in_runs and ->commutes of one of its events, of which all else is known;
     * `fixed`: each of its fields is always in the same place. */
    void (*bind)(struct pinsight_binding *binding, bool fixed);
    /* Takes the first events of a run, of which the first is one of these, and returns how many; 0:
     * the first has to come by itself. Not without `bind`. */
    size_t (*take_run)(struct pinsight_model *model, const struct pinsight_run *run);
    /* The thread that an event of its table tells of; NULL where it tells of none. */
    struct pinsight_thread *(*thread_of)(struct pinsight_model *model,
                                         const struct pinsight_event *event);
    /* Says more of what an event is about; see subject.h. */
    void (*subject)(struct pinsight_subject *subject, struct pinsight_model *model,
                    const struct pinsight_event *event);
    /* Takes what MONITORING counted of one of its regions in a thread: a lexgion_profile. */
    void (*profile)(struct pinsight_thread *thread, const struct pinsight_event *event,
                    const struct pinsight_monitored *counted);

    /* Ends what is open in a thread; returns how many calls or regions that were. */
    uint64_t (*close)(struct pinsight_thread *thread, uint64_t ns);
    /* The program was held: what is open in a thread and began before a time begins so much later.
     */
    void (*pause)(struct pinsight_thread *thread, uint64_t before_ns, uint64_t pause_ns);
    /* What is open in a thread goes to another. Nothing where the other has something. */
    void (*move)(struct pinsight_thread *from, struct pinsight_thread *to);
    /* Whether an OS thread is known to have ended. */
    bool (*is_over)(const struct pinsight_thread *thread);
    /* Whether it refers to tracks of a process in which nothing is open any more. */
    bool (*keeps_tracks)(const struct pinsight_process *process);

    /* The trace ends, before the threads of a process are closed. */
    void (*end_trace)(struct pinsight_process *process);
    /* No more of a process will come; its threads are closed. */
    void (*end_process)(struct pinsight_process *process);
    /* The trace has ended, and all processes. */
    void (*finish)(struct pinsight_model *model);
    /* Where in what it keeps of a model two counts (uint64_t) stand, one after the other: begins
     * without an end, and ends without a begin. 0 for a domain that counts in the model. */
    size_t unmatched;

    /* Frees what it keeps of a thread, and of the model and its processes. All threads are freed
     * before the rest is. */
    void (*free_thread)(struct pinsight_thread *thread);
    void (*free)(struct pinsight_model *model);
};

/* What follows from the word of a domain: "openmp" is its event table, which pinsight_ingest_openmp
 * takes. */
#define READER_DOMAIN(word, of_name)                                                               \
    .table = #word, .name = of_name, .ingest = pinsight_ingest_##word

/* Defines a domain of native code. Functions that each has are named by its word, but `profile`; it
 * keeps a `kept` of a model. What not every domain has follows. */
#define READER_NATIVE_DOMAIN(word, of_name, kept, ...)                                             \
    const struct reader_domain reader_domain_##word = {                                            \
        READER_DOMAIN(word, of_name),                                                              \
        .thread_of = pinsight_##word##_event_thread,                                               \
        .profile = profile,                                                                        \
        .close = pinsight_##word##_close,                                                          \
        .unmatched = offsetof(struct kept, unmatched_begins),                                      \
        .free = pinsight_##word##_free,                                                            \
        __VA_ARGS__}

/* Defines what finds what a domain keeps of a model, a process or a thread; NULL without. `of` is
 * such a struct. */
#define READER_STATE(function, kept, of, NUMBER)                                                   \
    static inline kept *function(const of *owner) {                                                \
        return owner->state[READER_##NUMBER];                                                      \
    }

/* By enum reader_domain_number. */
extern const struct reader_domain *const reader_domains[READER_DOMAINS];

/* The domain that an event is of, NULL for PINSIGHT_EVENT_UNKNOWN; and one by its name, or NULL. */
const struct reader_domain *reader_domain_of(enum pinsight_event_id id);
const struct reader_domain *reader_domain_named(const char *name);

/* Calls a function of each domain that has it. */
#define READER_EACH(function, ...)                                                                 \
    do {                                                                                           \
        for (size_t each_ = 0; each_ < READER_DOMAINS; each_++)                                    \
            if (reader_domains[each_]->function)                                                   \
                reader_domains[each_]->function(__VA_ARGS__);                                      \
    } while (0)

#endif

/* A domain of the reader: how its events come into the model, and how the model handles the
 * domain's state. domains.def lists the domains. */
#ifndef PINSIGHT_READER_DOMAIN_H
#define PINSIGHT_READER_DOMAIN_H

#include "reader/events.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The number of each domain. The number is also the index of the domain's state in a process, a
 * thread and the model (`state`). */
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

/* All functions except `ingest` may be NULL. Times are in ns of the trace's clock. */
struct reader_domain {
    const char *table; /* name of its event table: "openmp" */
    const char *name;  /* name in events and configurations: "OpenMP" */
    /* Definitions that later chunks of a trace refer to, ended by PINSIGHT_EVENT_UNKNOWN; or
     * NULL. */
    const enum pinsight_event_id *names;

    /* Takes an event of the domain's table. */
    void (*ingest)(struct pinsight_model *model, const struct pinsight_event *event);
    /* Sets binding->in_runs and ->commutes for one of its events. All other members are set
     * already. `fixed` is true if each of its fields has a fixed offset. */
    void (*bind)(struct pinsight_binding *binding, bool fixed);
    /* Takes the first events of a run, of which the first is an event of this domain. Returns how
     * many it took; 0 if the first must be taken alone. Needs `bind`. */
    size_t (*take_run)(struct pinsight_model *model, const struct pinsight_run *run);
    /* Returns the thread of an event of its table, or NULL if the event has none. */
    struct pinsight_thread *(*thread_of)(struct pinsight_model *model,
                                         const struct pinsight_event *event);
    /* Adds details to the subject of an event; see subject.h. */
    void (*subject)(struct pinsight_subject *subject, struct pinsight_model *model,
                    const struct pinsight_event *event);
    /* Takes the counts of MONITORING for one of its regions in a thread: a lexgion_profile. */
    void (*profile)(struct pinsight_thread *thread, const struct pinsight_event *event,
                    const struct pinsight_monitored *counted);

    /* Ends the open calls and regions of a thread. Returns how many there were. */
    uint64_t (*close)(struct pinsight_thread *thread, uint64_t ns);
    /* The program was stopped: moves the begin of open calls and regions that began before
     * `before_ns` by `pause_ns`. */
    void (*pause)(struct pinsight_thread *thread, uint64_t before_ns, uint64_t pause_ns);
    /* Moves the open calls and regions of a thread to another. Does nothing if the other has
     * some. */
    void (*move)(struct pinsight_thread *from, struct pinsight_thread *to);
    /* Returns whether an OS thread is known to have ended. */
    bool (*is_over)(const struct pinsight_thread *thread);
    /* Returns whether the domain refers to tracks of a process in which nothing is open any
     * more. */
    bool (*keeps_tracks)(const struct pinsight_process *process);

    /* Its events relate the times of different hosts: it fills model->bounds. */
    bool relates_hosts;

    /* Called at the end of the trace, before the threads of a process are closed. */
    void (*end_trace)(struct pinsight_process *process);
    /* Called after the last event of a process, when its threads are closed. */
    void (*end_process)(struct pinsight_process *process);
    /* Called at the end of the trace, after all processes. */
    void (*finish)(struct pinsight_model *model);
    /* Offset, in the domain's state of a model, of two adjacent counts (uint64_t). The counts are
     * of begins without an end, and of ends without a begin. 0 for a domain that counts in the
     * model itself. */
    size_t unmatched;

    /* Frees the state of a thread, and that of the model with its processes. All threads are freed
     * first. */
    void (*free_thread)(struct pinsight_thread *thread);
    void (*free)(struct pinsight_model *model);
};

/* Members that follow from the word of a domain: "openmp" is its event table, and
 * pinsight_ingest_openmp takes its events. */
#define READER_DOMAIN(word, of_name)                                                               \
    .table = #word, .name = of_name, .ingest = pinsight_ingest_##word

/* Defines a domain of native code. The word names the functions that each such domain has, except
 * `profile`. `kept` is the struct of its state of a model. Further members follow. */
#define READER_NATIVE_DOMAIN(word, of_name, kept, ...)                                             \
    const struct reader_domain reader_domain_##word = {                                            \
        READER_DOMAIN(word, of_name),                                                              \
        .thread_of = pinsight_##word##_event_thread,                                               \
        .profile = profile,                                                                        \
        .close = pinsight_##word##_close,                                                          \
        .unmatched = offsetof(struct kept, unmatched_begins),                                      \
        .free = pinsight_##word##_free,                                                            \
        __VA_ARGS__}

/* Defines the function that returns a domain's state of a model, a process or a thread, or NULL.
 * `of` is one of these structs. */
#define READER_STATE(function, kept, of, NUMBER)                                                   \
    static inline kept *function(const of *owner) {                                                \
        return owner->state[READER_##NUMBER];                                                      \
    }

/* Indexed by enum reader_domain_number. */
extern const struct reader_domain *const reader_domains[READER_DOMAINS];

/* Return the domain of an event, or NULL for PINSIGHT_EVENT_UNKNOWN; and the domain with a name, or
 * NULL. */
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

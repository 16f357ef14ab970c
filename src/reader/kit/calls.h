/*
 * A domain of calls. Each event of its table is the begin or end of a function's call
 * (src/events/call_events.py), or the call_info that explains a place. Part of the model; not
 * thread-safe.
 *
 *     READER_CALLS_DOMAIN(TOY, toy, "Toy", "toy_wait")
 *
 * in one file is the whole domain for the reader. The timeline shows calls below the Python that
 * made them. Sums are kept by function, Python call path and place.
 */
#ifndef PINSIGHT_READER_KIT_CALLS_H
#define PINSIGHT_READER_KIT_CALLS_H

#include "reader/ctf/layout.h"
#include "reader/timeline.h"

/* The names of the fields below, from the first on. */
#define READER_CALLS_FIELD_NAMES                                                                   \
    "py_path", "codeptr", "bytes", "pid", "lexgion", "object", "offset", "symbol"

/* The deepest nesting of calls in one thread. Deeper calls are ignored. */
#define READER_CALLS_DEEPEST 16

struct reader_calls_function {
    uint32_t name; /* in the model's strings */
    bool waits;    /* the thread waits in it */
    uint64_t calls, open, total_ns;
    uint64_t min_ns, max_ns; /* of one call; undefined while calls is 0 */
    struct pinsight_monitored counted;
};

/* All calls of one function, by one Python call path and from one place. */
struct reader_calls_site {
    uint32_t function;
    uint32_t path, native; /* see paths.h and native.h; or PINSIGHT_NONE */
};

/* State of such a domain in a model. */
struct reader_calls {
    struct reader_calls_function *functions;
    size_t function_count, function_capacity;
    struct reader_calls_site *sites;
    size_t site_count, site_capacity;
    struct pinsight_map function_map, site_map;
    uint64_t calls; /* calls that have returned */
    uint64_t unmatched_begins, unmatched_ends;
    void *own; /* the domain's; NULL at first */
};

struct pinsight_frame_times;

/* A domain, as the functions below need it. */
struct reader_calls_domain {
    enum reader_domain_number number;
    const char *const *waiting; /* functions in which a thread waits, ended by NULL */
    struct event_layouts layouts;
    /* For a domain with one begin and one end for all its functions, otherwise NULL. Returns the
     * function of a begin, valid until the next call. */
    const char *(*function)(const struct event_layout *layout, const struct pinsight_event *event);
    /* For data that a domain keeps beside the sums, otherwise NULL. `begun` returns a number for
     * the slice of a call that begins. `ended` gets it at the end, with the call's times, and
     * whether the call is within another one of the domain. */
    uint32_t (*begun)(struct reader_calls *calls, const struct pinsight_process *process,
                      const struct event_layout *layout, const struct pinsight_event *event);
    void (*ended)(struct reader_calls *calls, uint32_t site, uint32_t own,
                  const struct pinsight_frame_times *times, bool is_nested);
    /* For definitions of the domain's own, which are moments behind the first one; or NULL. */
    void (*define)(struct reader_calls *calls, struct pinsight_process *process,
                   const struct event_layout *layout, const struct pinsight_event *event);
};

/* The fields and events that the layouts have; see layout.h. */
#define READER_CALLS_FIELDS 8
extern const char *const reader_calls_fields[READER_CALLS_FIELDS];
extern const char *const reader_calls_moments[1];

/* Returns the state of a domain, or NULL. */
static inline struct reader_calls *reader_calls_of(const struct pinsight_model *model,
                                                   enum reader_domain_number number) {
    return model->state[number];
}

/* Functions for struct reader_domain; see there. */
void reader_calls_ingest(struct reader_calls_domain *domain, struct pinsight_model *model,
                         const struct pinsight_event *event);
struct pinsight_thread *reader_calls_thread(struct reader_calls_domain *domain,
                                            struct pinsight_model *model,
                                            const struct pinsight_event *event);
void reader_calls_profile(struct reader_calls_domain *domain, struct pinsight_thread *thread,
                          const struct pinsight_event *event,
                          const struct pinsight_monitored *counted);
uint64_t reader_calls_close(enum reader_domain_number number, struct pinsight_thread *thread,
                            uint64_t ns);
void reader_calls_free(enum reader_domain_number number, struct pinsight_model *model);

/* Defines reader_domain_NAME. The arguments are its number and name in the list of domains, and its
 * name for people. The functions in which a thread waits follow, if there are any. */
#define READER_CALLS_DOMAIN(NUMBER, the_name, people, ...)                                         \
    static const char *const calls_waiting[] = {__VA_ARGS__ __VA_OPT__(, ) NULL};                  \
    static struct reader_calls_domain calls_domain = {                                             \
        .number = READER_##NUMBER,                                                                 \
        .waiting = calls_waiting,                                                                  \
        .layouts = {.fields = reader_calls_fields,                                                 \
                    .field_count = READER_CALLS_FIELDS,                                            \
                    .moments = reader_calls_moments,                                               \
                    .moment_count = 1}};                                                           \
    static void calls_free(struct pinsight_model *model) {                                         \
        reader_calls_free(READER_##NUMBER, model);                                                 \
    }                                                                                              \
    READER_CALLS_FUNCTIONS(NUMBER, the_name, people)

/* Defines the rest of READER_CALLS_DOMAIN, for a domain that defines calls_domain and calls_free
 * itself. */
#define READER_CALLS_FUNCTIONS(NUMBER, the_name, people)                                           \
    static void calls_ingest(struct pinsight_model *model, const struct pinsight_event *event) {   \
        reader_calls_ingest(&calls_domain, model, event);                                          \
    }                                                                                              \
    static struct pinsight_thread *calls_thread(struct pinsight_model *model,                      \
                                                const struct pinsight_event *event) {              \
        return reader_calls_thread(&calls_domain, model, event);                                   \
    }                                                                                              \
    static void calls_profile(struct pinsight_thread *thread, const struct pinsight_event *event,  \
                              const struct pinsight_monitored *counted) {                          \
        reader_calls_profile(&calls_domain, thread, event, counted);                               \
    }                                                                                              \
    static uint64_t calls_close(struct pinsight_thread *thread, uint64_t ns) {                     \
        return reader_calls_close(READER_##NUMBER, thread, ns);                                    \
    }                                                                                              \
    static void calls_move(struct pinsight_thread *from, struct pinsight_thread *to) {             \
        pinsight_chain_move(from, to, READER_##NUMBER);                                            \
    }                                                                                              \
    const struct reader_domain reader_domain_##the_name = {                                        \
        .table = #the_name,                                                                        \
        .name = people,                                                                            \
        .ingest = calls_ingest,                                                                    \
        .thread_of = calls_thread,                                                                 \
        .profile = calls_profile,                                                                  \
        .close = calls_close,                                                                      \
        .move = calls_move,                                                                        \
        .unmatched = offsetof(struct reader_calls, unmatched_begins),                              \
        .free = calls_free,                                                                        \
    }

#endif

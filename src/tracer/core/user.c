/* Regions and marks of the program; see user.h. */
#include "tracer/core/user.h"

#include "describe/user.h"
#include "tracer/core/control.h"
#include "tracer/core/info.h"
#include "tracer/core/native.h"
#include "tracer/core/resolve.h"
#include "tracer/core/user_names.h"
#include "tracer/core/watchdog.h"
#include "tracer/record/core.h"
#include "tracer/record/table.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The most regions of a thread that are open. A program that never ends its regions has more. */
#define DEEPEST 4096u

/* An open region that was decided on by its name. */
struct open_region {
    struct pinsight_user_name *name;
    struct pinsight_count_node *node; /* NULL if it is not counted */
    uint64_t start;                   /* ticks, if it is counted */
    bool recorded;
    bool last; /* it is the last execution of its window */
};

struct user_thread {
    struct pinsight_native_thread native; /* first */
    struct pinsight_user_cache names;
    struct open_region *open; /* outermost first */
    uint32_t depth, room;
    uint64_t plain; /* open regions that are recorded and not in `open` */
};

static void take_settings(void);
static void owner_of(const struct pinsight_lexgion *lexgion, struct pinsight_window_owner *owner);
static int apply_mode(struct pinsight_domain *domain, enum pinsight_mode from, const char *reason);
static void settings_changed(struct pinsight_domain *domain);
static void rotated(struct pinsight_domain *domain);
static void leaving(struct pinsight_domain *domain);
static void fork_child(struct pinsight_domain *domain, struct pinsight_core_thread *thread);
static void user_thread_end(struct pinsight_core_thread *core, void *state);
static void user_thread_free(void *state);

/* Its events have names, so there is nothing to define. */
static void define(const struct pinsight_lexgion *lexgion) {
    (void)lexgion;
}
static void describe(void) {
}

static struct pinsight_domain domain = {PINSIGHT_USER_TABLES, PINSIGHT_DOMAIN_CALLBACKS(user),
                                        .leaving = leaving};

static struct pinsight_native_table no_addresses = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct pinsight_native user = {
    PINSIGHT_NATIVE_INIT(&domain, &no_addresses, define, describe, take_settings)};

/* Version of the configuration that limits no region and no mark; 0: none. */
static _Atomic uint32_t all_recorded;

static void owner_of(const struct pinsight_lexgion *lexgion, struct pinsight_window_owner *owner) {
    static const char *const kinds[] = {[PINSIGHT_USER_KIND_REGION] = "region",
                                        [PINSIGHT_USER_KIND_MARK] = "mark",
                                        [PINSIGHT_USER_KIND_VALUE] = "value"};
    const struct pinsight_user_name *name = (const struct pinsight_user_name *)lexgion;
    owner->is_region = owner->is_named = true;
    owner->name = owner->symbol = name->text;
    owner->filename = kinds[name->kind];
}

/* ---- modes ---- */

static void take_settings(void) {
    uint32_t version = pinsight_config_version();
    atomic_store(&user.engine.kinds, pinsight_resolve_events(&domain));
    atomic_store(&all_recorded, pinsight_resolve_all_recorded(&domain) ? version : 0);
    atomic_store(&user.engine.config_version, version);
}

static void write_outside(struct pinsight_user_name *name) {
    uint64_t outside = atomic_load(&name->outside);
    struct pinsight_window_owner owner = {.domain = &domain, .lexgion = name->state.id};
    if (outside == name->outside_written)
        return;
    name->outside_written = outside;
    owner_of(&name->state, &owner);
    pinsight_info_outside(&owner, outside);
}

static int apply_mode(struct pinsight_domain *of, enum pinsight_mode from, const char *reason) {
    (void)of, (void)reason;
    int result = pinsight_native_apply_mode(&user, from);
    if (from == PINSIGHT_MODE_TRACING)
        pinsight_user_names_each(write_outside);
    return result;
}

static void settings_changed(struct pinsight_domain *of) {
    (void)of;
    pinsight_native_settings_changed(&user);
}

static void rotated(struct pinsight_domain *of) {
    (void)of;
    pinsight_native_rotated(&user);
    pinsight_user_names_each(write_outside);
}

/* ---- start and end ---- */

static void leaving(struct pinsight_domain *of) {
    (void)of;
    pinsight_native_ends(&user);
    pinsight_user_names_each(write_outside);
}

static void at_exit(void) {
    leaving(&domain);
}

static bool is_registered;
static _Atomic bool is_started;

static void enter(void) {
    user.engine.owner = owner_of;
    is_registered = pinsight_native_register(&user) == 0;
}

struct pinsight_domain *pinsight_user_domain(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, enter);
    return is_registered ? &domain : NULL;
}

static void start(void) {
    pinsight_native_start(&user);
    atexit(at_exit);
    atomic_store(&is_started, true);
}

/* Starts the domain when a session listens. A program that is not traced gets no threads of
 * PInsight's. Returns whether it is started. */
static bool has_started(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (PINSIGHT_LIKELY(atomic_load_explicit(&is_started, memory_order_acquire)))
        return true;
    pinsight_process_start();
    if (pinsight_info_enabled() && pinsight_user_domain())
        pthread_once(&once, start);
    return atomic_load(&is_started);
}

bool pinsight_user_is(const char *name) {
    return strcasecmp(name, domain.name) == 0;
}

static void fork_child(struct pinsight_domain *of, struct pinsight_core_thread *thread) {
    (void)of, (void)thread;
    pinsight_native_fork_child(&user);
    pinsight_user_names_fork_child();
}

/* ---- threads ---- */

static struct user_thread *thread_there(void) {
    struct pinsight_core_thread *core = pinsight_thread_there();
    return core ? core->state[domain.slot] : NULL;
}

/* Returns the thread's state, and makes it. NULL without memory, and while the thread ends. */
static __attribute__((noinline)) struct user_thread *thread_new(void) {
    struct user_thread *thread = thread_there();
    struct pinsight_core_thread *core = thread ? NULL : pinsight_thread_get();
    if (thread || !core || !(thread = calloc(1, sizeof *thread)))
        return thread;
    thread->native.engine.core = core;
    pinsight_thread_set_domain(core, domain.slot, thread);
    pinsight_watchdog_start(); /* a forked child has no watchdog */
    pinsight_control_start();  /* and no control thread */
    return thread;
}

static inline struct user_thread *thread_get(void) {
    struct user_thread *thread = pinsight_thread_domain(domain.slot);
    return PINSIGHT_LIKELY(thread != NULL) ? thread : thread_new();
}

static void user_thread_end(struct pinsight_core_thread *core, void *state) {
    struct user_thread *thread = state;
    (void)core;
    while (thread->depth > 0) {
        struct open_region *region = &thread->open[--thread->depth];
        if (region->last)
            pinsight_lexgion_last_ended(&user.engine, &region->name->state);
    }
    pinsight_engine_thread_end(&user.engine, &thread->native.engine);
}

static void user_thread_free(void *state) {
    struct user_thread *thread = state;
    free(thread->open);
    free(thread);
}

/* ---- decisions ---- */

/* Takes a region out of the open ones. */
static void remove_at(struct user_thread *thread, uint32_t at) {
    memmove(&thread->open[at], &thread->open[at + 1],
            (--thread->depth - at) * sizeof *thread->open);
}

/* Returns the counted region around the one at an index, or NULL. */
static struct pinsight_count_node *counted_around(const struct user_thread *thread, uint32_t at) {
    while (at > 0)
        if (thread->open[--at].node)
            return thread->open[at].node;
    return NULL;
}

static struct pinsight_count_node *count(struct user_thread *thread,
                                         struct pinsight_user_name *name) {
    struct pinsight_count_tree *tree = &thread->native.engine.core->counts;
    struct pinsight_count_node *around = counted_around(thread, thread->depth);
    return pinsight_count_child(&user.engine, tree, around ? around : &tree->root, &name->state, 0);
}

/* Adds a region to the open ones. Returns false without memory. */
static bool open_region(struct user_thread *thread, const struct open_region *region) {
    if (thread->depth == DEEPEST) {
        if (thread->open[0].last)
            pinsight_lexgion_last_ended(&user.engine, &thread->open[0].name->state);
        pinsight_add(&thread->native.engine.lost_frames, thread->open[0].recorded);
        remove_at(thread, 0);
    }
    if (thread->depth == thread->room) {
        uint32_t room = thread->room ? 2 * thread->room : 16;
        struct open_region *grown = realloc(thread->open, room * sizeof *grown);
        if (!grown)
            return false;
        thread->open = grown;
        thread->room = room;
    }
    thread->open[thread->depth++] = *region;
    return true;
}

/* Excludes a pause from the counted regions. */
static void wait_in(struct user_thread *thread) {
    uint64_t ticks = pinsight_thread_wait(&domain, thread->native.engine.core);
    for (uint32_t i = 0; i < thread->depth; i++)
        thread->open[i].start += ticks;
}

/* Decides on a region or mark by its name. */
static PINSIGHT_COLD bool decide(struct user_thread *thread, unsigned kind, const char *text,
                                 bool lasts) {
    if (pinsight_is_paused(&domain))
        wait_in(thread);
    if (atomic_load(&user.engine.config_version) != pinsight_config_version())
        pinsight_native_settings_changed(&user);
    enum pinsight_mode mode = pinsight_domain_mode(&domain);
    if (mode < PINSIGHT_MODE_MONITORING || !pinsight_kind_is_on(&user.engine, kind))
        return false;
    /* A count has neither the values nor the time between events of several threads. */
    if (mode == PINSIGHT_MODE_MONITORING && !lasts && kind != PINSIGHT_USER_KIND_MARK)
        return true;
    struct pinsight_user_name *name = pinsight_user_name(&thread->names, kind, text);
    struct pinsight_decision how =
        pinsight_should_record(&user.engine, name ? &name->state : NULL, mode);
    pinsight_add(&thread->native.engine.outside, how.outside);
    if (!name) {
        thread->plain += lasts && how.traced;
        return how.traced;
    }
    if (how.outside)
        atomic_fetch_add_explicit(&name->outside, 1, memory_order_relaxed);
    struct open_region region = {.name = name, .recorded = how.traced, .last = how.last};
    if (how.counted && (region.node = count(thread, name)) && !lasts)
        pinsight_add(&region.node->calls, 1);
    if (lasts) {
        region.start = region.node ? pinsight_clock_ticks() : 0;
        if (open_region(thread, &region))
            return region.recorded;
    }
    if (region.last)
        pinsight_lexgion_last_ended(&user.engine, &name->state);
    return region.recorded;
}

/* Returns the thread if a region or mark is recorded, or NULL. A region `lasts`, and has an end. */
static inline struct user_thread *begins(unsigned kind, const char *text, bool lasts) {
    struct user_thread *thread = has_started() ? thread_get() : NULL;
    if (!thread)
        return NULL;
    if (PINSIGHT_LIKELY(pinsight_domain_mode_now(&domain) == PINSIGHT_MODE_TRACING &&
                        atomic_load_explicit(&all_recorded, memory_order_relaxed) ==
                            pinsight_config_version() &&
                        pinsight_kind_is_on(&user.engine, kind) && !thread->depth)) {
        thread->plain += lasts;
        return thread;
    }
    return decide(thread, kind, text, lasts) ? thread : NULL;
}

/* Takes an open region out of the list, and counts it. Returns whether its begin was recorded. */
static PINSIGHT_COLD bool close_at(struct user_thread *thread, uint32_t at) {
    struct open_region region = thread->open[at];
    if (region.node) {
        uint64_t now = pinsight_clock_ticks();
        uint64_t ticks = now > region.start ? now - region.start : 0;
        struct pinsight_count_node *around = counted_around(thread, at);
        pinsight_add(&region.node->calls, 1);
        pinsight_count_took(region.node, ticks);
        if (around && around == region.node->parent)
            pinsight_add(&around->children, ticks);
    }
    remove_at(thread, at);
    if (region.last)
        pinsight_lexgion_last_ended(&user.engine, &region.name->state);
    return region.recorded;
}

/* Returns the thread if the end of a region is recorded, because its begin was, or NULL. */
static inline struct user_thread *ends(const char *text) {
    struct user_thread *thread =
        atomic_load_explicit(&is_started, memory_order_acquire) ? thread_get() : NULL;
    if (!thread)
        return NULL;
    if (PINSIGHT_UNLIKELY(pinsight_is_paused(&domain)))
        wait_in(thread);
    uint32_t at = thread->depth;
    while (at > 0 && strcmp(thread->open[at - 1].name->text, text) != 0)
        at--;
    if (PINSIGHT_UNLIKELY(at > 0))
        return close_at(thread, at - 1) ? thread : NULL;
    if (!thread->plain)
        return NULL;
    thread->plain--;
    return thread;
}

/* ---- the program's calls ---- */

/* The approximate bytes of an event with its name. */
#define EVENT_BYTES (PINSIGHT_EVENT_HEAD_BYTES + 24)

/* Records an event of the thread if the session listens and reads. It may wait like a definition,
 * with the same limit. */
#define RECORD(thread, event, ...)                                                                 \
    do {                                                                                           \
        struct user_thread *of_ = (thread);                                                        \
        if (of_ && pinsight_record_core_##event##_enabled() && !pinsight_process.silent &&         \
            !pinsight_stuck()) {                                                                   \
            PINSIGHT_INFO_TIMED(pinsight_record_core_##event(                                      \
                __VA_ARGS__, of_->native.engine.core->python_thread_id));                          \
            pinsight_native_recorded(&user, &of_->native, EVENT_BYTES);                            \
        }                                                                                          \
    } while (0)

void pinsight_region_begin(const char *name) {
    RECORD(begins(PINSIGHT_USER_KIND_REGION, name, true), region_begin, name);
}

void pinsight_region_end(const char *name) {
    RECORD(ends(name), region_end, name);
}

void pinsight_mark(const char *name) {
    RECORD(begins(PINSIGHT_USER_KIND_MARK, name, false), mark, name);
}

void pinsight_mark_value(const char *name, double value) {
    RECORD(begins(PINSIGHT_USER_KIND_VALUE, name, false), value, name, value);
}

void pinsight_range_begin(uint64_t id, const char *name) {
    RECORD(begins(PINSIGHT_USER_KIND_REGION, name, false), range_begin, id, name);
}

/* The reader ignores the end of a range without a begin. */
void pinsight_range_end(uint64_t id) {
    RECORD(atomic_load(&is_started) ? thread_get() : NULL, range_end, id);
}

/*
 * Records the counts as events: path_profile for each node, and lexgion_profile for each lexgion,
 * with the sums of its nodes. See count.h.
 *
 * A node's own time excludes all its counted children. The exclusive time of a lexgion_profile
 * excludes only counts of the same domain: native work within a Python function belongs to that
 * function.
 */
#include "tracer/core/count_tree.h"

#include "tracer/core/engine.h"
#include "tracer/core/held_signals.h"
#include "tracer/core/signals.h"

#include <stdlib.h>

/* The most dead lexgions that wait for their counts to be written. Otherwise a program that
 * executes new code all the time would grow without limit. */
#define DEAD_MAX 4096

/* The sums of a lexgion in one thread. */
struct sum {
    struct pinsight_lexgion *lexgion;
    uint64_t calls, inclusive, exclusive;
};

struct writing {
    struct pinsight_engine *engine;
    double rate;
    struct sum *sums; /* by the temporary slot of a lexgion */
    size_t count, room;
};

static uint32_t last_round; /* under the count lock */

/* Takes the count lock to write counts. Signals wait: a worker that ends by itself may be
 * terminated by its pool. Counts that are half written would be neither in the trace nor in the
 * memory that outlives the process. */
static void begin_writing(sigset_t *held) {
    if (!pinsight_signals_may_wait() || !pinsight_signals_hold(held))
        sigemptyset(held);
    pthread_mutex_lock(&pinsight_count_lock);
}

static void end_writing(const sigset_t *held) {
    pthread_mutex_unlock(&pinsight_count_lock);
    pinsight_signals_release(held);
}

static uint64_t ns_of(const struct writing *writing, uint64_t ticks) {
    return (uint64_t)((double)ticks * writing->rate);
}

static int64_t signed_ns_of(const struct writing *writing, int64_t ticks) {
    return (int64_t)((double)ticks * writing->rate);
}

/* ---- a snapshot of the counts ---- */

static struct pinsight_count_node *of_engine(struct pinsight_count_node *node,
                                             const struct pinsight_engine *engine) {
    while (node->account && node->account->engine != engine)
        node = node->parent;
    return node->account ? node : NULL;
}

static void visit_open(struct pinsight_count_node *node, struct pinsight_count_node *outer,
                       uint64_t ticks) {
    if (outer->account)
        outer->account->self_now -= (int64_t)ticks;
    if (!node) { /* traced */
        struct pinsight_count_node *around = pinsight_count_traced_around(outer);
        if (around)
            around->account->self_now += (int64_t)ticks;
        return;
    }
    node->account->inclusive_now += ticks;
    if (ticks > node->account->longest_now)
        node->account->longest_now = ticks;
    node->account->self_now += (int64_t)ticks;
}

static void look(struct pinsight_engine *engine, struct pinsight_core_thread *thread) {
    struct pinsight_count_node *node, *around;
    PINSIGHT_COUNT_EACH(node, &thread->counts) {
        struct pinsight_count_account *account = node->account;
        /* Reads children first: an execution that ends meanwhile is added to its own node first. */
        uint64_t children = PINSIGHT_GET(node->children);
        account->inclusive_now = PINSIGHT_GET(node->inclusive);
        account->longest_now = PINSIGHT_GET(node->longest);
        account->self_now = (int64_t)(account->inclusive_now - children);
    }
    if (engine->each_open)
        engine->each_open(thread, visit_open);
    PINSIGHT_COUNT_EACH(node, &thread->counts)
    node->account->own_now = node->account->self_now;
    PINSIGHT_COUNT_EACH(node, &thread->counts) {
        if (node->account->engine != engine && (around = of_engine(node, engine)))
            around->account->own_now += node->account->self_now;
    }
}

/* ---- events ---- */

static void write_path(const struct pinsight_core_thread *thread,
                       const struct pinsight_count_node *node,
                       const struct pinsight_path_profile *sums) {
    const struct pinsight_count_account *account = node->account;
    const struct pinsight_count_node *parent = node->parent;
    struct pinsight_path_profile profile = *sums;
    struct pinsight_window_owner owner = {.domain = account->engine->domain,
                                          .lexgion = node->lexgion->id};
    profile.tid = thread->tid;
    profile.python_thread_id = thread->python_thread_id;
    profile.node = account->number;
    profile.parent = parent->account ? parent->account->number : 0;
    profile.place = node->place;
    account->engine->owner(node->lexgion, &owner);
    pinsight_lexgion_define(account->engine, node->lexgion);
    pinsight_info_path(&owner, &profile);
}

/* Records the nodes around a node, outermost first. They have lexgions, because a node loses its
 * lexgion only after the nodes beneath it are written. */
static void write_around(const struct pinsight_core_thread *thread,
                         struct pinsight_count_node *node) {
    static const struct pinsight_path_profile nothing;
    for (;;) {
        struct pinsight_count_node *outermost = NULL;
        for (struct pinsight_count_node *at = node->parent; at->account; at = at->parent)
            if (at->account->round != last_round && at->lexgion)
                outermost = at;
        if (!outermost)
            return;
        outermost->account->round = last_round;
        write_path(thread, outermost, &nothing);
    }
}

static struct sum *sum_of(struct writing *writing, struct pinsight_lexgion *lexgion) {
    if (lexgion->slot != PINSIGHT_NO_SLOT)
        return &writing->sums[lexgion->slot];
    if (writing->count == writing->room) {
        size_t room = writing->room ? writing->room * 2 : 256;
        struct sum *grown = realloc(writing->sums, room * sizeof *grown);
        if (!grown)
            return NULL;
        writing->sums = grown;
        writing->room = room;
    }
    lexgion->slot = (uint32_t)writing->count;
    writing->sums[writing->count] = (struct sum){.lexgion = lexgion};
    return &writing->sums[writing->count++];
}

/* Records a node. Times of a lexgion never decrease: a deficit of an open node is recorded
 * later. */
static void write_node(struct writing *writing, const struct pinsight_core_thread *thread,
                       struct pinsight_count_node *node) {
    struct pinsight_count_account *account = node->account;
    uint64_t calls = PINSIGHT_GET(node->calls);
    uint64_t inclusive = account->inclusive_now > account->inclusive
                             ? account->inclusive_now - account->inclusive
                             : 0;
    struct sum *sum;
    if (!node->lexgion ||
        (calls == account->calls && account->inclusive_now == account->inclusive &&
         account->self_now == account->self && account->own_now == account->own &&
         account->longest_now <= account->longest))
        return;
    write_around(thread, node);
    account->round = last_round;
    write_path(thread, node,
               &(struct pinsight_path_profile){
                   .calls = calls - account->calls,
                   .inclusive_ns = ns_of(writing, inclusive),
                   .self_ns = signed_ns_of(writing, account->self_now - account->self),
                   .max_ns = ns_of(writing, account->longest_now)});
    sum = node->place & PINSIGHT_COUNT_TRACED ? NULL : sum_of(writing, node->lexgion);
    if (node->place & PINSIGHT_COUNT_TRACED)
        account->own = account->own_now;
    if (sum) {
        bool is_folded = node->place & PINSIGHT_COUNT_FOLDED;
        uint64_t own =
            account->own_now > account->own ? (uint64_t)(account->own_now - account->own) : 0;
        sum->calls += calls - account->calls;
        sum->exclusive += own;
        sum->inclusive += is_folded ? own : account->nested ? 0 : inclusive;
        account->own += (int64_t)own;
    }
    account->calls = calls;
    account->longest = account->longest_now;
    account->inclusive += inclusive;
    account->self = account->self_now;
}

static void write_sum(struct writing *writing, const struct pinsight_core_thread *thread,
                      const struct sum *sum) {
    struct pinsight_engine *engine = writing->engine;
    struct pinsight_window_owner owner = {.domain = engine->domain, .lexgion = sum->lexgion->id};
    struct pinsight_profile profile = {
        .tid = thread->tid,
        .python_thread_id = thread->python_thread_id,
        .calls = sum->calls,
        .inclusive_ns = ns_of(writing, sum->inclusive),
        .exclusive_ns = ns_of(writing, sum->exclusive),
    };
    engine->owner(sum->lexgion, &owner);
    pinsight_info_profile(&owner, &profile);
}

/* Records the counts of a thread. The count lock is held. */
static void write_thread(struct pinsight_engine *engine, struct pinsight_core_thread *thread) {
    struct writing writing = {.engine = engine, .rate = pinsight_clock_rate()};
    struct pinsight_count_node *node;
    last_round++;
    look(engine, thread);
    PINSIGHT_COUNT_EACH(node, &thread->counts) {
        if (node->account->engine == engine)
            write_node(&writing, thread, node);
    }
    for (size_t i = 0; i < writing.count; i++) {
        if (writing.sums[i].calls || writing.sums[i].inclusive || writing.sums[i].exclusive)
            write_sum(&writing, thread, &writing.sums[i]);
        writing.sums[i].lexgion->slot = PINSIGHT_NO_SLOT;
    }
    free(writing.sums);
}

void pinsight_count_flush_thread(struct pinsight_engine *engine,
                                 struct pinsight_core_thread *thread) {
    sigset_t held;
    begin_writing(&held);
    write_thread(engine, thread);
    end_writing(&held);
}

static void visit(struct pinsight_core_thread *thread, void *engine) {
    write_thread(engine, thread);
}

/* ---- lexgions whose code is gone ---- */

/* Removes dead lexgions from the nodes. Their counts have been written. */
static void take_out(struct pinsight_core_thread *thread, void *engine) {
    struct pinsight_count_node *node;
    PINSIGHT_COUNT_EACH(node, &thread->counts) {
        const struct pinsight_lexgion *lexgion = node->lexgion;
        if (node->account->engine == engine && lexgion && lexgion->dead && !lexgion->in_flight) {
            PINSIGHT_PUT(node->lexgion, NULL);
            thread->counts.gone++;
        }
    }
}

/* Interpreters may call this at the same time, each for its dead lexgions. */
void pinsight_count_flush(struct pinsight_engine *engine) {
    sigset_t held;
    begin_writing(&held);
    pinsight_thread_each(visit, engine);
    struct pinsight_lexgion **dead = engine->dead;
    uint32_t count = engine->dead_count;
    engine->dead = NULL;
    engine->dead_count = 0;
    if (count)
        pinsight_thread_each(take_out, engine);
    end_writing(&held);
    for (uint32_t i = 0; i < count; i++) {
        dead[i]->is_counted = false;
        pinsight_lexgion_collect(engine, dead[i]);
    }
    free(dead);
}

void pinsight_count_died(struct pinsight_engine *engine, struct pinsight_lexgion *lexgion) {
    pthread_mutex_lock(&pinsight_count_lock);
    while (engine->dead_count == DEAD_MAX) { /* another thread is about to flush */
        pthread_mutex_unlock(&pinsight_count_lock);
        pinsight_count_flush(engine);
        pthread_mutex_lock(&pinsight_count_lock);
    }
    if (!engine->dead)
        engine->dead = malloc(DEAD_MAX * sizeof(*engine->dead));
    if (engine->dead) /* without memory, the lexgion is never freed */
        engine->dead[engine->dead_count++] = lexgion;
    bool full = engine->dead_count == DEAD_MAX;
    pthread_mutex_unlock(&pinsight_count_lock);
    if (full)
        pinsight_count_flush(engine);
}

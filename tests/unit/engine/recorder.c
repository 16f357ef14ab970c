/* What was recorded, in memory; see recorder.h. */
#include "recorder.h"

#include "tracer/record/table.h"

#include <stdatomic.h>

#include "unit.h"

#define RECORDER_EVENTS
#include "recorder_events.h"
#include "tracer/record/counted.h"
#include "tracer/record/recorder.h"

#define ROOM 1000000u
#define EVENTS (sizeof recorder_events / sizeof *recorder_events)

struct recorded {
    unsigned event;
    uint64_t fields[RECORDER_FIELDS];
};

static struct recorded *log_;
static _Atomic size_t used;
static _Atomic bool listening;

void recorder_listen(bool listens) {
    if (!log_)
        log_ = calloc(ROOM, sizeof *log_);
    if (!log_)
        abort();
    atomic_store(&listening, listens);
}

/* ---- as the core's recorder ---- */

static struct recorder_calls calls;

static bool start(void) {
    atomic_fetch_add(&calls.start, 1);
    return true;
}

static enum pinsight_joined join(struct pinsight_counts_grant *grant) {
    atomic_fetch_add(&calls.join, 1);
    *grant = (struct pinsight_counts_grant){.fd = -1};
    return PINSIGHT_JOINED;
}

static enum pinsight_joined fork_child(struct pinsight_counts_grant *grant) {
    atomic_fetch_add(&calls.fork_child, 1);
    *grant = (struct pinsight_counts_grant){.fd = -1};
    return PINSIGHT_JOINED;
}

static uintptr_t listeners(void) {
    return recorder_listens();
}

static bool may_wait(void) {
    return false;
}

static void thread_begin(void) {
    atomic_fetch_add(&calls.thread_begin, 1);
}

static void thread_end(void) {
    atomic_fetch_add(&calls.thread_end, 1);
}

static void flush(void) {
    atomic_fetch_add(&calls.flush, 1);
}

static const struct pinsight_recorder memory = {
    .name = "memory",
    .start = start,
    .join = join,
    .fork_child = fork_child,
    .listeners = listeners,
    .may_wait = may_wait,
    .has_counts = true,
    .unread_ns = 1000000000u,
    .thread_begin = thread_begin,
    .thread_end = thread_end,
    .flush = flush,
    .unanswered = "ask again",
    .unread = "is it full?",
};

const struct pinsight_recorder *pinsight_recorder = &memory;

static const struct pinsight_recorder_variable no_variables[] = {{0}};
const struct pinsight_recorder_variables pinsight_recorder_variables = {.set = no_variables};

const struct recorder_calls *recorder_calls(void) {
    return &calls;
}

/* ---- events ---- */

bool recorder_listens(void) {
    return atomic_load_explicit(&listening, memory_order_relaxed);
}

bool recorder_stores(void) {
    static _Atomic unsigned events;
    return recorder_listens() && atomic_fetch_add(&events, 1) % 8 != 0;
}

void recorder_put(unsigned event, const uint64_t *fields) {
    size_t at = atomic_fetch_add(&used, 1);
    if (at >= ROOM)
        abort(); /* a test that needs more is to be made smaller */
    log_[at].event = event;
    memcpy(log_[at].fields, fields, sizeof log_[at].fields);
}

void recorder_clear(void) {
    atomic_store(&used, 0);
}

static unsigned number(const char *event) {
    for (unsigned i = 0; i < EVENTS; i++)
        if (strcmp(recorder_events[i].name, event) == 0)
            return i;
    fail_msg("no event has the name %s", event);
    return 0;
}

const struct recorded *recorder_next(const struct recorded *from, const char *event) {
    unsigned wanted = event ? number(event) : EVENTS;
    size_t end = atomic_load(&used);
    for (size_t at = from ? (size_t)(from - log_) + 1 : 0; at < end; at++)
        if (!event || log_[at].event == wanted)
            return &log_[at];
    return NULL;
}

size_t recorder_count(const char *event) {
    size_t count = 0;
    for (const struct recorded *at = NULL; (at = recorder_next(at, event));)
        count++;
    return count;
}

static int field(unsigned event, const char *name) {
    for (int i = 0; i < RECORDER_FIELDS && recorder_events[event].fields[i]; i++)
        if (strcmp(recorder_events[event].fields[i], name) == 0)
            return i;
    return -1;
}

uint64_t recorder_field(const struct recorded *of, const char *name) {
    int at = field(of->event, name);
    if (at < 0)
        fail_msg("%s has no field %s", recorder_events[of->event].name, name);
    return of->fields[at];
}

bool recorder_is(const struct recorded *of, const char *event) {
    return strcmp(recorder_events[of->event].name, event) == 0;
}

/* ---- begins and ends ---- */

#define DEEPEST 64
#define THREADS 8192

static struct {
    const struct recorded *open[DEEPEST];
    int depth;
} threads[THREADS];

/* Length of the name without its ending; 0 without that ending. */
static size_t stem(unsigned event, const char *ending) {
    size_t length = strlen(recorder_events[event].name), end = strlen(ending);
    bool has = length > end && strcmp(recorder_events[event].name + length - end, ending) == 0;
    return has ? length - end : 0;
}

/* The same of a begin: a thread's next implicit task begins one too. */
static size_t begin_stem(unsigned event) {
    size_t length = stem(event, "_begin");
    return length ? length : stem(event, "_next");
}

static void check_same(const struct recorded *begin, const struct recorded *end) {
    const char *name = recorder_events[end->event].name;
    for (int i = 0; i < RECORDER_FIELDS && recorder_events[end->event].fields[i]; i++) {
        int at = field(begin->event, recorder_events[end->event].fields[i]);
        if (at < 0)
            continue;
        if (begin->fields[at] != end->fields[i])
            fail_msg("%s: %s is %llu, and was %llu at its begin", name,
                     recorder_events[end->event].fields[i], (unsigned long long)end->fields[i],
                     (unsigned long long)begin->fields[at]);
    }
}

static const struct recorded *pop(uint64_t thread, const struct recorded *end) {
    if (threads[thread].depth == 0)
        fail_msg("%s has no begin", recorder_events[end->event].name);
    return threads[thread].open[--threads[thread].depth];
}

static void check_end(uint64_t thread, const struct recorded *end) {
    const char *name = recorder_events[end->event].name;
    size_t length = stem(end->event, "_end");
    const struct recorded *begin = pop(thread, end);
    if (begin_stem(begin->event) != length ||
        strncmp(recorder_events[begin->event].name, name, length) != 0)
        fail_msg("%s follows %s", name, recorder_events[begin->event].name);
    check_same(begin, end);
}

/* An implicit task ends, or one ended before the next began, in a barrier that is told in one. */
static void check_task_end(uint64_t thread, const struct recorded *end) {
    const struct recorded *begin = pop(thread, end);
    if (begin_stem(begin->event) != strlen("implicit_task"))
        fail_msg("%s ends a task and follows %s", recorder_events[end->event].name,
                 recorder_events[begin->event].name);
    if (recorder_is(end, "barrier_implicit_end"))
        check_same(begin, end);
}

void recorder_check_pairs(void) {
    size_t end = atomic_load(&used);
    memset(threads, 0, sizeof threads);
    for (size_t at = 0; at < end; at++) {
        const struct recorded *event = &log_[at];
        if (field(event->event, "global_thread_num") != 0)
            continue;
        uint64_t thread = event->fields[0];
        assert_true(thread < THREADS);
        if (recorder_is(event, "implicit_task_next")) {
            assert_true(recorder_is(pop(thread, event), "barrier_implicit_begin"));
            check_task_end(thread, event);
        }
        if (begin_stem(event->event)) {
            assert_true(threads[thread].depth < DEEPEST);
            threads[thread].open[threads[thread].depth++] = event;
        } else if (stem(event->event, "_end")) {
            check_end(thread, event);
            if (recorder_is(event, "barrier_implicit_end") && recorder_field(event, "ends_task"))
                check_task_end(thread, event);
        }
    }
    for (unsigned thread = 0; thread < THREADS; thread++)
        if (threads[thread].depth > 0)
            fail_msg("%s has no end",
                     recorder_events[threads[thread].open[threads[thread].depth - 1]->event].name);
}

static int compare(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void recorder_check_unique(const char *event, const char *name) {
    size_t count = recorder_count(event), at = 0;
    uint64_t *all = calloc(count + 1, sizeof *all);
    assert_non_null(all);
    for (const struct recorded *found = NULL; (found = recorder_next(found, event));)
        all[at++] = recorder_field(found, name);
    qsort(all, count, sizeof *all, compare);
    bool twice = false;
    for (at = 1; at < count; at++)
        twice = twice || all[at] == all[at - 1];
    free(all);
    if (twice)
        fail_msg("two of %s have the same %s", event, name);
}

/* What the core chooses a recorder by (tracer/record/recorder.c); there is no other. */
const char *pinsight_recorder_output;
const char *pinsight_recorder_ring = "";
void (*pinsight_recorder_on_loss)(const char *path, const char *why);
void (*pinsight_recorder_on_first)(void);
void (*pinsight_recorder_on_alone)(bool begins);

const char *pinsight_recorder_choose(void) {
    return NULL;
}

int pinsight_recorder_link(const struct pinsight_record_link *link) {
    (void)link;
    return 0;
}

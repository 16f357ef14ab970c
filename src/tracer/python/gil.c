/* Records the noted waits for the GIL; see gil.h. */
#include "tracer/python/gil.h"

#include "tracer/core/clock.h"
#include "tracer/core/info.h"
#include "tracer/core/mode.h"
#include "tracer/python/balance.h"
#include "tracer/python/code.h"
#include "tracer/python/cpython/gil.h"

#include <stdatomic.h>

/* OS threads of thread states, by their ids. */
#define THREADS 1024
static _Atomic uint64_t threads[THREADS];

/* The most frames that are searched for the one that waited. */
#define DEEPEST 4096

void pinsight_gil_thread_seen(uint32_t tid) {
    uint64_t id = PyThreadState_Get()->id;
    atomic_store(&threads[id % THREADS], id << 32 | tid);
}

static uint32_t tid_of(const struct pinsight_gil_wait *wait) {
    uint64_t there = wait->holder ? atomic_load(&threads[wait->holder_id % THREADS]) : 0;
    return there && there >> 32 == (uint32_t)wait->holder_id ? (uint32_t)there : wait->holder_tid;
}

/* A place in a function, as in events. */
struct gil_place {
    uint32_t code;
    int32_t lineno;
};

static struct gil_place place_of(const pinsight_frame *frame, uintptr_t at) {
    PyCodeObject *code = (PyCodeObject *)(uintptr_t)pinsight_frame_code(frame);
    struct pinsight_python_lexgion *lexgion = pinsight_code_own(code);
    if (!lexgion || lexgion->stands_in)
        lexgion = pinsight_code_lexgion_new(code, frame->f_globals);
    if (!lexgion || !pinsight_python_define(lexgion))
        return (struct gil_place){0};
    return (struct gil_place){lexgion->state.id,
                              pinsight_code_line(lexgion, code, pinsight_frame_offset(code, at))};
}

/* Returns the place of a wait if its frame is still there. The frame may have been freed, and is
 * only compared. */
static struct gil_place place_of_wait(const struct pinsight_gil_wait *wait) {
    const pinsight_frame *frame = wait->frame ? pinsight_frame_top(PyThreadState_Get()) : NULL;
    for (int i = 0; frame && i < DEEPEST; i++, frame = pinsight_frame_caller(frame))
        if (frame == wait->frame && pinsight_frame_code(frame) == wait->code)
            return place_of(frame, wait->at);
    return (struct gil_place){0};
}

/* Returns the place where the holder released the GIL. It is still there if only this thread has
 * had the GIL since. */
static struct gil_place place_of_holder(const struct pinsight_gil_wait *wait) {
    const pinsight_gil *gil = pinsight_gil_main();
    const PyThreadState *holder = wait->holder;
    if (wait->gil || !holder || pinsight_gil_switches(gil) != wait->switches + 1 ||
        !pinsight_gil_is_thread(holder) || holder->id != wait->holder_id)
        return (struct gil_place){0};
    const pinsight_frame *frame = pinsight_gil_frame(pinsight_frame_top(holder));
    if (!frame)
        return (struct gil_place){0};
    return place_of(frame, pinsight_frame_at(frame));
}

/* The interval of records of the GIL's load. One is recorded at the end, too. */
#define LOAD_NS 100000000u
static void record_load(struct pinsight_python_thread *thread, bool at_end) {
    static uint64_t recorded_ns;
    struct pinsight_gil_load load;
    if (!pinsight_gil_load(&load) ||
        (!at_end && load.seen_ns >= recorded_ns && load.seen_ns - recorded_ns < LOAD_NS))
        return;
    recorded_ns = load.seen_ns;
    pinsight_python_progress(thread);
    pinsight_record_python_gil_load(thread->tid, 0, load.seen_ns, load.held_ns);
    pinsight_python_progress(thread);
}

/* Takes the notes of a thread. Returns the number of waits, or 0 if nothing is to be recorded. */
static uint32_t take(struct pinsight_gil_notes *notes) {
    uint32_t count = notes ? notes->count : 0;
    if (!count)
        return 0;
    notes->count = 0;
    notes->goes_on = false;
    return pinsight_record_python_gil_wait_enabled() &&
                   pinsight_domain_mode(&pinsight_python_domain) == PINSIGHT_MODE_TRACING
               ? count
               : 0;
}

static void record(void (*record_it)(uint32_t tid, uint32_t gil, uint64_t wait_ns, uint64_t ago_ns,
                                     uint32_t waits, uint32_t code, int32_t lineno, uint32_t holder,
                                     uint32_t holder_code, int32_t holder_lineno),
                   uint32_t tid, const struct pinsight_gil_wait *wait, struct gil_place place,
                   struct gil_place holder) {
    record_it(tid, wait->gil, wait->wait_ns, pinsight_clock_ns() - wait->end_ns, wait->waits,
              place.code, place.lineno, tid_of(wait), holder.code, holder.lineno);
}

void pinsight_gil_record_end(uint32_t tid) {
    struct pinsight_gil_notes *notes = pinsight_gil_noted();
    uint32_t count = take(notes);
    for (uint32_t i = 0; i < count; i++)
        record(pinsight_record_python_gil_wait, tid, &notes->waits[i], (struct gil_place){0},
               (struct gil_place){0});
}

void pinsight_gil_record(struct pinsight_python_thread *thread) {
    struct pinsight_gil_notes *notes = pinsight_gil_noted();
    uint32_t count = take(notes);
    if (notes)
        notes->known = true;
    for (uint32_t i = 0; i < count; i++) {
        const struct pinsight_gil_wait *wait = &notes->waits[i];
        struct gil_place place = place_of_wait(wait), holder = place_of_holder(wait);
        pinsight_python_progress(thread);
        record(pinsight_record_python_gil_wait, thread->tid, wait, place, holder);
        pinsight_python_progress(thread);
        pinsight_add_bytes(thread, PINSIGHT_GIL_WAIT_BYTES);
    }
    if (count)
        record_load(thread, false);
}

/* Records the notes of another thread that has had no event since. */
static void record_of_another(struct pinsight_gil_notes *notes) {
    uint32_t count = take(notes);
    if (count && !notes->known) {
        struct pinsight_core_thread core = {.tid = notes->tid, .python_thread_id = -1};
        pinsight_thread_number(&core);
        pinsight_info_thread(&core, NULL);
        notes->known = true;
    }
    for (uint32_t i = 0; i < count; i++)
        record(pinsight_record_python_gil_wait_of_another, notes->tid, &notes->waits[i],
               (struct gil_place){0}, (struct gil_place){0});
}

void pinsight_gil_end(void) {
    struct pinsight_python_thread *thread = pinsight_python_thread();
    if (!thread || !pinsight_record_python_gil_load_enabled())
        return;
    pinsight_gil_record(thread);
    pinsight_gil_each(record_of_another);
    record_load(thread, true);
}

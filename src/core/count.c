/* Counting for MONITORING; see count.h. */
#include "core/count.h"

#include "core/engine.h"

#include <stdlib.h>
#include <string.h>

/* So many dead lexgions may wait for their counts to be written, before that is done for them: a
 * program that executes new code all the time must not grow without limit. */
#define DEAD_MAX 4096

/* Twice the room; false when memory is short. Another thread may fork meanwhile: what `at` and
 * `free` point to is whole at every moment. The count lock is held. */
static bool grow_slots(struct pinsight_slots *slots) {
    uint32_t room = slots->room ? slots->room * 2 : 256;
    struct pinsight_lexgion **old = slots->at,
                            **at = malloc(room * (sizeof *at + sizeof(uint32_t)));
    if (!at)
        return false;
    uint32_t *free_ones = (uint32_t *)(at + room);
    if (old) {
        memcpy(at, old, slots->count * sizeof *at);
        memcpy(free_ones, slots->free, slots->free_count * sizeof *free_ones);
    }
    slots->at = at;
    slots->free = free_ones;
    slots->room = room;
    free(old);
    return true;
}

/* The count lock is held. */
static uint32_t take_slot(struct pinsight_slots *slots, struct pinsight_lexgion *lexgion) {
    uint32_t slot;
    if (slots->free_count)
        slot = slots->free[--slots->free_count];
    else if (slots->count < slots->room || grow_slots(slots))
        slot = slots->count++;
    else
        return PINSIGHT_NO_SLOT;
    slots->at[slot] = lexgion;
    return slot;
}

/* The count lock is held. */
static bool grow_counts(struct pinsight_thread_counts *counts, uint32_t slot) {
    uint32_t room = counts->room ? counts->room : 64;
    while (room <= slot)
        room *= 2;
    struct pinsight_call_count *grown =
        aligned_alloc(_Alignof(struct pinsight_call_count), room * sizeof *grown);
    if (!grown)
        return false;
    if (counts->at)
        memcpy(grown, counts->at, counts->room * sizeof *grown);
    memset(grown + counts->room, 0, (room - counts->room) * sizeof *grown);
    free(counts->at);
    counts->at = grown;
    counts->room = room;
    return true;
}

struct pinsight_call_count *pinsight_count_make(struct pinsight_engine *engine,
                                                struct pinsight_thread_counts *counts,
                                                struct pinsight_lexgion *lexgion) {
    pthread_mutex_lock(&engine->count_lock);
    uint32_t slot = lexgion->slot;
    if (slot == PINSIGHT_NO_SLOT) {
        slot = take_slot(&engine->slots, lexgion);
        PINSIGHT_PUT(lexgion->slot, slot);
    }
    bool there = slot != PINSIGHT_NO_SLOT && (slot < counts->room || grow_counts(counts, slot));
    pthread_mutex_unlock(&engine->count_lock);
    return there ? &counts->at[slot] : NULL;
}

/* The count lock is held. */
static void write_count(struct pinsight_engine *engine, const struct pinsight_core_thread *thread,
                        struct pinsight_lexgion *lexgion, struct pinsight_call_count *count) {
    uint64_t calls = PINSIGHT_GET(count->calls), inclusive = PINSIGHT_GET(count->inclusive),
             exclusive = PINSIGHT_GET(count->exclusive);
    if (calls == count->calls_written && inclusive == count->inclusive_written &&
        exclusive == count->exclusive_written)
        return;
    double rate = pinsight_clock_rate();
    struct pinsight_window_owner owner = {.domain = engine->domain, .lexgion = lexgion->id};
    struct pinsight_profile profile = {
        .tid = thread->tid,
        .python_thread_id = thread->python_thread_id,
        .calls = calls - count->calls_written,
        .inclusive_ns = (uint64_t)((double)(inclusive - count->inclusive_written) * rate),
        .exclusive_ns = (uint64_t)((double)(exclusive - count->exclusive_written) * rate),
    };
    engine->owner(lexgion, &owner);
    pinsight_info_profile(&owner, &profile);
    count->calls_written = calls;
    count->inclusive_written = inclusive;
    count->exclusive_written = exclusive;
}

/* The count lock is held. */
static void write_thread(struct pinsight_engine *engine, struct pinsight_engine_thread *thread) {
    const struct pinsight_slots *slots = &engine->slots;
    for (uint32_t slot = 0; slot < slots->count && slot < thread->counts.room; slot++)
        if (slots->at[slot])
            write_count(engine, thread->core, slots->at[slot], &thread->counts.at[slot]);
}

void pinsight_count_flush_thread(struct pinsight_engine *engine,
                                 struct pinsight_engine_thread *thread) {
    pthread_mutex_lock(&engine->count_lock);
    write_thread(engine, thread);
    pthread_mutex_unlock(&engine->count_lock);
}

static void visit(struct pinsight_core_thread *core, void *data) {
    struct pinsight_engine *engine = data;
    struct pinsight_engine_thread *thread = core->state[engine->domain->slot];
    if (thread)
        write_thread(engine, thread);
}

/* The counts of dead ones are written. */
static void free_dead(struct pinsight_engine *engine) {
    struct pinsight_slots *slots = &engine->slots;
    for (uint32_t slot = 0; slot < slots->count; slot++) {
        struct pinsight_lexgion *lexgion = slots->at[slot];
        if (!lexgion || !lexgion->dead || lexgion->in_flight)
            continue;
        pthread_mutex_lock(&engine->count_lock);
        slots->at[slot] = NULL;
        slots->free[slots->free_count++] = slot;
        pthread_mutex_unlock(&engine->count_lock);
        lexgion->slot = PINSIGHT_NO_SLOT;
        pinsight_lexgion_collect(engine, lexgion);
    }
    slots->dead = 0;
}

void pinsight_count_flush(struct pinsight_engine *engine) {
    pthread_mutex_lock(&engine->count_lock);
    pinsight_thread_each(visit, engine);
    pthread_mutex_unlock(&engine->count_lock);
    if (engine->slots.dead)
        free_dead(engine);
}

void pinsight_count_died(struct pinsight_engine *engine) {
    if (++engine->slots.dead == DEAD_MAX)
        pinsight_count_flush(engine);
}

void pinsight_count_free(struct pinsight_thread_counts *counts) {
    free(counts->at);
}

/* Counting for MONITORING; see count.h. */
#include "domains/python/count.h"

#include "core/clock.h"
#include "core/info.h"
#include "core/thread.h"
#include "domains/python/domain.h"
#include "domains/python/thread.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* So many dead lexgions may wait for their counts to be written, before a flush is made for them: a
 * program that executes new code all the time must not grow without limit. */
#define DEAD_MAX 4096

/* Which lexgion has which slot; slot 0 is nobody's. Under the lock, because a thread that ends
 * reads it without the GIL. */
static pthread_mutex_t slot_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static struct pinsight_lexgion **slots;
static uint32_t slot_count, slot_room;
static uint32_t *free_slots;
static uint32_t free_count;
static uint32_t dead_count;

static uint32_t take_slot(struct pinsight_lexgion *lexgion) {
    uint32_t slot = 0;
    pthread_mutex_lock(&slot_lock);
    if (free_count) {
        slot = free_slots[--free_count];
    } else {
        if (slot_count + 1 >= slot_room) {
            uint32_t room = slot_room ? slot_room * 2 : 1024;
            struct pinsight_lexgion **grown = realloc(slots, room * sizeof *slots);
            if (grown)
                slots = grown;
            uint32_t *free_grown = realloc(free_slots, room * sizeof *free_slots);
            if (free_grown)
                free_slots = free_grown;
            if (grown && free_grown)
                slot_room = room;
        }
        if (slot_count + 1 < slot_room)
            slot = ++slot_count;
    }
    if (slot)
        slots[slot] = lexgion;
    pthread_mutex_unlock(&slot_lock);
    return slot;
}

struct pinsight_count *pinsight_count_make(struct pinsight_python_thread *thread,
                                           struct pinsight_lexgion *lexgion) {
    if (!lexgion->slot)
        lexgion->slot = take_slot(lexgion);
    if (!lexgion->slot)
        return NULL;
    if (lexgion->slot >= thread->count_room) {
        uint32_t room = thread->count_room ? thread->count_room : 256;
        while (room <= lexgion->slot)
            room *= 2;
        struct pinsight_count *grown = realloc(thread->counts, room * sizeof *grown);
        if (!grown)
            return NULL;
        memset(grown + thread->count_room, 0, (room - thread->count_room) * sizeof *grown);
        thread->counts = grown;
        thread->count_room = room;
    }
    return &thread->counts[lexgion->slot];
}

/* Write what one thread counted. The slot lock is held. */
static void write_thread(struct pinsight_python_thread *thread) {
    double rate = pinsight_clock_rate();
    uint32_t end = thread->count_room < slot_count + 1 ? thread->count_room : slot_count + 1;
    for (uint32_t slot = 1; slot < end; slot++) {
        struct pinsight_count *count = &thread->counts[slot];
        if (!count->calls && !count->exclusive && !count->inclusive)
            continue;
        const struct pinsight_lexgion *lexgion = slots[slot];
        struct pinsight_profile profile = {
            .tid = thread->tid,
            .python_thread_id = thread->number,
            .is_c_call = lexgion->is_c,
            .lexgion = lexgion->id,
            .name = lexgion->name,
            .filename = lexgion->filename,
            .lineno = lexgion->lineno,
            .calls = count->calls,
            .inclusive_ns = (uint64_t)((double)count->inclusive * rate),
            .exclusive_ns = (uint64_t)((double)count->exclusive * rate),
        };
        pinsight_info_profile(&pinsight_python_domain, &profile);
        count->calls = count->inclusive = count->exclusive = 0;
    }
}

void pinsight_count_flush_thread(struct pinsight_python_thread *thread) {
    pthread_mutex_lock(&slot_lock);
    write_thread(thread);
    pthread_mutex_unlock(&slot_lock);
}

static void visit(struct pinsight_thread *thread, void *unused) {
    (void)unused;
    struct pinsight_python_thread *python = thread->state[pinsight_python_domain.slot];
    if (python)
        write_thread(python);
}

void pinsight_count_flush(void) {
    pthread_mutex_lock(&slot_lock);
    pinsight_thread_each(visit, NULL);
    pthread_mutex_unlock(&slot_lock);
    if (!dead_count)
        return;
    for (uint32_t slot = 1; slot <= slot_count; slot++) {
        struct pinsight_lexgion *lexgion = slots[slot];
        if (!lexgion || !lexgion->dead || lexgion->in_flight)
            continue;
        pthread_mutex_lock(&slot_lock);
        slots[slot] = NULL;
        free_slots[free_count++] = slot;
        pthread_mutex_unlock(&slot_lock);
        lexgion->slot = 0;
        pinsight_lexgion_collect(lexgion);
    }
    dead_count = 0;
}

bool pinsight_count_release(struct pinsight_lexgion *lexgion) {
    (void)lexgion;
    dead_count++;
    if (dead_count == DEAD_MAX)
        pinsight_count_flush(); /* may free this one */
    return false;
}

void pinsight_count_fork_child(void) {
    slot_lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
}

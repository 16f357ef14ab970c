/* Threads that decode ahead; see read_ahead.h. Everything except for the filling is under one lock.
 */
#include "reader/ctf/read_ahead.h"

#include "base/leftover.h"
#include "base/memory.h"

#include <stdlib.h>

static void fill(struct ctf_lane *lane, size_t number) {
    struct ctf_batch **batch = &lane->ring[number % CTF_RING];

    if (!*batch)
        *batch = ctf_batch_new(lane->capacity);
    ctf_cursor_fill(&lane->cursor, *batch);
}

static bool has_room(const struct ctf_lane *lane) {
    return !lane->cursor.over && lane->filled - lane->taken < CTF_RING;
}

static void add(struct ctf_read_ahead *ahead, struct ctf_lane *lane) {
    lane->queued = true;
    lane->next = NULL;
    *ahead->last = lane;
    ahead->last = &lane->next;
    pthread_cond_signal(&ahead->work);
}

static void take_out(struct ctf_read_ahead *ahead, struct ctf_lane *lane) {
    struct ctf_lane **at = &ahead->first;

    while (*at != lane)
        at = &(*at)->next;
    *at = lane->next;
    if (ahead->last == &lane->next)
        ahead->last = at;
    lane->queued = false;
}

/* Fills one batch. Releases the lock meanwhile. */
static void fill_one(struct ctf_read_ahead *ahead, struct ctf_lane *lane) {
    size_t number = lane->filled;

    pthread_mutex_unlock(&ahead->lock);
    fill(lane, number);
    pthread_mutex_lock(&ahead->lock);
    lane->filled++;
}

static void *run(void *data) {
    struct ctf_read_ahead *ahead = data;

    pthread_mutex_lock(&ahead->lock);
    while (!ahead->ending) {
        struct ctf_lane *lane = ahead->first;

        if (!lane) {
            pthread_cond_wait(&ahead->work, &ahead->lock);
            continue;
        }
        take_out(ahead, lane);
        lane->filling = true;
        while (!ahead->ending && has_room(lane)) {
            fill_one(ahead, lane);
            if (ahead->awaited == lane)
                pthread_cond_signal(&ahead->filled);
        }
        lane->filling = false;
    }
    pthread_mutex_unlock(&ahead->lock);
    return NULL;
}

void ctf_read_ahead_start(struct ctf_read_ahead *ahead, size_t threads) {
    sigset_t before;

    ahead->last = &ahead->first;
    pthread_mutex_init(&ahead->lock, NULL);
    pthread_cond_init(&ahead->work, NULL);
    pthread_cond_init(&ahead->filled, NULL);
    ahead->threads = pinsight_calloc(threads, sizeof(*ahead->threads));
    pinsight_leftover_block_for_threads(&before);
    while (ahead->thread_count < threads &&
           pthread_create(&ahead->threads[ahead->thread_count], NULL, run, ahead) == 0)
        ahead->thread_count++;
    pinsight_leftover_unblock_signals(&before);
}

void ctf_read_ahead_end(struct ctf_read_ahead *ahead) {
    if (!ahead->threads)
        return;
    pthread_mutex_lock(&ahead->lock);
    ahead->ending = true;
    pthread_cond_broadcast(&ahead->work);
    pthread_mutex_unlock(&ahead->lock);
    for (size_t i = 0; i < ahead->thread_count; i++)
        pthread_join(ahead->threads[i], NULL);
    pthread_mutex_destroy(&ahead->lock);
    pthread_cond_destroy(&ahead->work);
    pthread_cond_destroy(&ahead->filled);
    free(ahead->threads);
    *ahead = (struct ctf_read_ahead){0};
}

void ctf_read_ahead_add(struct ctf_read_ahead *ahead, struct ctf_lane *lane) {
    if (!ahead->thread_count)
        return;
    pthread_mutex_lock(&ahead->lock);
    lane->ahead = ahead;
    add(ahead, lane);
    pthread_mutex_unlock(&ahead->lock);
}

/* Waits for a batch, or fills one if no thread is filling it. */
static void await(struct ctf_read_ahead *ahead, struct ctf_lane *lane) {
    ahead->awaited = lane;
    while (lane->filled == lane->taken) {
        if (lane->filling) {
            pthread_cond_wait(&ahead->filled, &ahead->lock);
        } else {
            if (lane->queued)
                take_out(ahead, lane);
            lane->filling = true;
            fill_one(ahead, lane);
            lane->filling = false;
        }
    }
    ahead->awaited = NULL;
}

struct ctf_batch *ctf_lane_next(struct ctf_lane *lane) {
    struct ctf_read_ahead *ahead = lane->ahead;

    if (!ahead) {
        fill(lane, 0);
        return lane->ring[0];
    }
    pthread_mutex_lock(&ahead->lock);
    lane->taken += lane->holds;
    lane->holds = true;
    await(ahead, lane);
    /* Wakes a thread only for more than one batch. */
    if (!lane->filling && !lane->queued && has_room(lane) &&
        lane->filled - lane->taken <= CTF_RING / 2)
        add(ahead, lane);
    pthread_mutex_unlock(&ahead->lock);
    return lane->ring[lane->taken % CTF_RING];
}

void ctf_lane_clear(struct ctf_lane *lane) {
    for (size_t i = 0; i < CTF_RING; i++)
        ctf_batch_free(lane->ring[i]);
    *lane = (struct ctf_lane){0};
}

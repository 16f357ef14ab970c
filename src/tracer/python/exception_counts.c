/* Counted exceptions; see exception_counts.h. */
#include "tracer/python/exception_counts.h"

#include "tracer/python/path.h"
#include "tracer/python/serial.h"
#include "tracer/record/python.h"

#include <stdlib.h>
#include <string.h>

#define FLIGHTS 16u    /* nested handlers have more than one */
#define FIRST_ROOM 64u /* a power of 2 */
#define ROOM_MOST (1u << 16)
#define NO_HANDLER (-1)

/* An exception that may go on. */
struct flight {
    struct pinsight_exception_type *type;
    uint32_t exception, raised, handler;
    int32_t line; /* of the handler, or NO_HANDLER */
};

struct row {
    struct pinsight_exception_type *type; /* NULL: free */
    uint32_t raised, handler;
    int32_t line;
    uint64_t count, written;
};

struct pinsight_exception_counts {
    struct flight flights[FLIGHTS];
    uint32_t flight_count;
    struct row *rows; /* by hash */
    uint32_t used, room;
};

static struct row *find(const struct pinsight_exception_counts *counts, const struct row *key) {
    uint64_t hash = ((uint64_t)key->raised << 32 | key->handler) * UINT64_C(0x9E3779B97F4A7C15);
    hash = (hash ^ hash >> 29 ^ (uint32_t)key->line ^ key->type->number) *
           UINT64_C(0xBF58476D1CE4E5B9);
    for (uint32_t at = (uint32_t)(hash >> 32);; at++) {
        struct row *row = &counts->rows[at & (counts->room - 1)];
        if (!row->type || (row->type == key->type && row->raised == key->raised &&
                           row->handler == key->handler && row->line == key->line))
            return row;
    }
}

/* Makes room for one more row. Returns false at the limit, or if memory is short. */
static bool grow(struct pinsight_exception_counts *counts) {
    if (counts->used < counts->room / 2)
        return true;
    struct pinsight_exception_counts more = {.room = counts->room ? counts->room * 2 : FIRST_ROOM};
    more.rows = more.room <= ROOM_MOST ? calloc(more.room, sizeof *more.rows) : NULL;
    if (!more.rows)
        return false;
    for (uint32_t i = 0; i < counts->room; i++)
        if (counts->rows[i].type)
            *find(&more, &counts->rows[i]) = counts->rows[i];
    free(counts->rows);
    counts->rows = more.rows;
    counts->room = more.room;
    return true;
}

static void count(struct pinsight_exception_counts *counts, const struct flight *flight) {
    struct row key = {.type = flight->type,
                      .raised = flight->raised,
                      .handler = flight->line == NO_HANDLER ? 0 : flight->handler,
                      .line = flight->line};
    if (!grow(counts)) { /* one row for all places of the type */
        key.raised = key.handler = 0;
        key.line = NO_HANDLER;
    }
    struct row *row = counts->used < counts->room ? find(counts, &key) : NULL;
    if (!row || (!row->type && counts->used + 1 == counts->room))
        return; /* an empty one ends each search */
    if (!row->type) {
        *row = key;
        counts->used++;
    }
    row->count++;
}

/* Counts a flight, and removes it. */
static void settle(struct pinsight_exception_counts *counts, uint32_t at) {
    count(counts, &counts->flights[at]);
    counts->flight_count--;
    memmove(&counts->flights[at], &counts->flights[at + 1],
            (counts->flight_count - at) * sizeof counts->flights[0]);
}

/* Returns the index of the last flight of an exception, or FLIGHTS. */
static uint32_t flight_of(const struct pinsight_exception_counts *counts, uint32_t exception) {
    for (uint32_t at = counts ? counts->flight_count : 0; at > 0; at--)
        if (counts->flights[at - 1].exception == exception)
            return at - 1;
    return FLIGHTS;
}

void pinsight_exception_count_raised(struct pinsight_python_thread *thread,
                                     struct pinsight_exception_type *type, uint32_t exception,
                                     uint32_t path) {
    struct pinsight_exception_counts *counts = thread->exception_counts;
    if (!counts && !(counts = thread->exception_counts = calloc(1, sizeof *counts)))
        return;
    uint32_t before = flight_of(counts, exception);
    if (before < FLIGHTS)
        settle(counts, before); /* the same object, or another one in its place */
    else if (counts->flight_count == FLIGHTS)
        settle(counts, 0);
    counts->flights[counts->flight_count++] =
        (struct flight){.type = type, .exception = exception, .raised = path, .line = NO_HANDLER};
}

void pinsight_exception_count_handled(struct pinsight_python_thread *thread, uint32_t exception,
                                      uint32_t path, int32_t line) {
    struct pinsight_exception_counts *counts = thread->exception_counts;
    uint32_t at = flight_of(counts, exception);
    if (at == FLIGHTS)
        return; /* it was raised before */
    counts->flights[at].handler = path;
    counts->flights[at].line = line;
}

void pinsight_exception_count_reraised(struct pinsight_python_thread *thread, uint32_t exception) {
    uint32_t at = flight_of(thread->exception_counts, exception);
    if (at < FLIGHTS)
        thread->exception_counts->flights[at].line = NO_HANDLER;
}

static void settle_all(const struct pinsight_python_thread *thread) {
    struct pinsight_exception_counts *counts = thread->exception_counts;
    while (counts && counts->flight_count)
        settle(counts, 0);
}

static void settle_thread(struct pinsight_core_thread *core, void *unused) {
    struct pinsight_python_thread *thread;
    (void)unused;
    PINSIGHT_EACH_STATE(thread, core)
    settle_all(thread);
}

void pinsight_exception_counts_settle(void) {
    pinsight_each_thread_stopped(settle_thread, NULL);
}

static void write_rows(const struct pinsight_python_thread *thread) {
    struct pinsight_exception_counts *counts = thread->exception_counts;
    for (uint32_t i = 0; counts && i < counts->room; i++) {
        struct row *row = &counts->rows[i];
        if (row->count == row->written)
            continue;
        pinsight_path_define_again(row->raised);
        pinsight_path_define_again(row->handler);
        pinsight_exception_type_define(row->type);
        pinsight_record_python_exception_counted(thread->tid, row->type->number, row->raised,
                                                 row->handler, row->line,
                                                 row->count - row->written);
        row->written = row->count;
    }
}

static void write_thread(struct pinsight_core_thread *core, void *unused) {
    struct pinsight_python_thread *thread;
    (void)unused;
    PINSIGHT_EACH_STATE(thread, core)
    write_rows(thread);
}

void pinsight_exception_counts_write(void) {
    if (pinsight_record_python_exception_counted_enabled())
        pinsight_each_thread_stopped(write_thread, NULL);
}

void pinsight_exception_counts_end(struct pinsight_python_thread *thread) {
    settle_all(thread);
    if (pinsight_record_python_exception_counted_enabled())
        write_rows(thread);
}

void pinsight_exception_counts_fork_child(struct pinsight_python_thread *thread) {
    for (; thread; thread = (struct pinsight_python_thread *)thread->engine.more) {
        struct pinsight_exception_counts *counts = thread->exception_counts;
        for (uint32_t i = 0; counts && i < counts->room; i++)
            counts->rows[i].written = counts->rows[i].count;
    }
}

void pinsight_exception_counts_free(struct pinsight_python_thread *thread) {
    if (thread->exception_counts)
        free(thread->exception_counts->rows);
    free(thread->exception_counts);
    thread->exception_counts = NULL;
}

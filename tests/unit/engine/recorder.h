/*
 * What the domains of a unit test recorded, in memory, in place of LTTng's buffers. Recording is
 * for any thread; looking is for one, when no other records.
 */
#ifndef PINSIGHT_TESTS_RECORDER_H
#define PINSIGHT_TESTS_RECORDER_H

#include "tracer/record/recorder.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recorded;

/* Listen or not, as a session does. */
void recorder_listen(bool listens);

/* Forget everything. */
void recorder_clear(void);

/* How often the core called what it has to call of a recorder (tracer/record/recorder.h). */
struct recorder_calls {
    atomic_uint start, join, fork_child, thread_begin, thread_end, flush;
};
const struct recorder_calls *recorder_calls(void);

/* How many events of that name there are. */
size_t recorder_count(const char *event);

/* The next event of that name, or of any (NULL), after `from` (NULL for the first); NULL at the
 * end.
 */
const struct recorded *recorder_next(const struct recorded *from, const char *event);

/* Has the event that name? */
bool recorder_is(const struct recorded *of, const char *event);

/* A field; fails the test where the event has none of that name. A text is its address. */
uint64_t recorder_field(const struct recorded *of, const char *name);

/* Fails the test unless, in every thread, each end follows its begin with the same fields, what was
 * begun inside has ended, and nothing is open. What is told in one event counts as what it tells.
 */
void recorder_check_pairs(void);

/* Fails the test where two events of that name have the same value in a field. */
void recorder_check_unique(const char *event, const char *field);

#endif

/*
 * The sums of measured lines (lines.h), and the sections of the configuration that choose
 * functions.
 */
#ifndef PINSIGHT_PYTHON_LINE_COUNTS_H
#define PINSIGHT_PYTHON_LINE_COUNTS_H

#include "tracer/python/lexgion.h"
#include "tracer/python/versions.h"

#include <stdatomic.h>

/* The executions of one line. */
struct pinsight_line_count {
    uint64_t hits, ticks;
    uint64_t hits_written, ticks_written;
};

/* A function whose lines are measured. Never freed. Keeps its code object alive. */
struct pinsight_line_counts {
    struct pinsight_line_counts *next;
    struct pinsight_python_lexgion *lexgion;
    PyCodeObject *code;
    const PyInterpreterState *interpreter;
    int32_t first; /* line of the first entry */
    uint32_t count;
    struct pinsight_line_count lines[];
};

/* All such functions. Any thread may read the list; it only grows. */
extern struct pinsight_line_counts *_Atomic pinsight_line_counts;

/* Returns the sums of a code object, and makes them if there are none. Returns NULL if the code has
 * no lines, or if memory is short. Holds the GIL. */
struct pinsight_line_counts *pinsight_line_counts_of(PyCodeObject *code,
                                                     struct pinsight_python_lexgion *lexgion);

/* Forgets the executions of a forked child's parent. */
void pinsight_line_counts_fork_child(void);

/* Returns the sums of a line, or NULL if the function does not have it. */
static inline struct pinsight_line_count *pinsight_line_in(struct pinsight_line_counts *counts,
                                                           int64_t line) {
    uint64_t index = (uint64_t)(line - counts->first);
    return PINSIGHT_LIKELY(index < counts->count) ? &counts->lines[index] : NULL;
}

#endif

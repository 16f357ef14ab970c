/* The lines of instructions; see path_lines.h. */
#include "tracer/python/path_lines.h"

#include "tracer/python/path_pages.h"

#include <stdlib.h>

_Static_assert(offsetof(PyBytesObject, ob_sval) >= PINSIGHT_LINE_BEFORE,
               "a bytes object begins that long before its bytes");

#define RECENT 2u
#define MISSES 8 /* number of misses after which all lines are computed */

/* Lines of a code object for which more than one line was requested. */
static struct lines {
    int32_t *all; /* lines of all instructions, if the code object has a line_count */
    struct {
        uint32_t instruction; /* from 1; 0: free */
        int32_t line;
    } recent[RECENT];
} __attribute__((aligned(32))) * lines_of;

bool pinsight_path_lines_make(uint32_t made, uint32_t more) {
    if (!lines_of &&
        !(lines_of = pinsight_path_reserve(pinsight_path_codes_most * sizeof *lines_of)))
        return false;
    return pinsight_path_use(&lines_of[made], more * sizeof *lines_of);
}

static void read_all(struct pinsight_path_code *known, struct lines *lines) {
    uint32_t count;
    int32_t *all = pinsight_code_lines_new(known->code, &count);
    if (!all)
        return;
    lines->all = all;
    known->line_count = count;
}

int32_t pinsight_path_line_cached(uint32_t number, long offset) {
    struct pinsight_path_code *known = pinsight_path_code_at(number);
    struct lines *lines = &lines_of[number];
    uint32_t instruction = (uint32_t)(offset / PINSIGHT_INSTRUCTION);
    uint32_t slot = instruction % RECENT;
    if (instruction < known->line_count)
        return lines->all[instruction];
    if (known->misses == 1)
        *lines = (struct lines){0}; /* left by another code object */
    else if (lines->recent[slot].instruction == instruction + 1)
        return lines->recent[slot].line;
    int32_t line = pinsight_path_line_read(known->code, offset);
    lines->recent[slot].instruction = instruction + 1;
    lines->recent[slot].line = line;
    if (known->misses < MISSES) {
        known->misses++;
    } else if (!known->line_count) {
        known->misses = 2; /* without memory, after as many misses again */
        read_all(known, lines);
    }
    return line;
}

void pinsight_path_lines_gone(uint32_t number) {
    if (pinsight_path_code_at(number)->line_count)
        free(lines_of[number].all);
}

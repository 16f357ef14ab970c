/*
 * The code objects that call paths name, found by their address while they live. What is kept of
 * one is dropped when the interpreter frees it, so that another code object at that address is not
 * taken for it: code extras, which serve elsewhere, are not to be read without the GIL.
 *
 * All under the lock of the paths (path.h), but for the fields that say otherwise.
 */
#ifndef PINSIGHT_PYTHON_PATH_CODE_H
#define PINSIGHT_PYTHON_PATH_CODE_H

#include "domains/python/versions.h"

#include <stdatomic.h>

#define PINSIGHT_PATH_LINES 4u

struct pinsight_path_code {
    const PyCodeObject *code;
    uint32_t number; /* in the trace */
    uint32_t birth;  /* no other that was here had the same */
    _Atomic uint32_t defined; /* generation at which it was recorded last; 0 never. Any thread. */
    uint32_t misses;          /* lines that were looked for in the code object's own table */
    int32_t *lines;           /* line of each instruction, made once many were looked for */
    uint32_t line_count;
    struct {
        uint32_t instruction; /* from 1; 0 is free */
        int32_t line;
    } recent[PINSIGHT_PATH_LINES];
    struct pinsight_path_code *next; /* of those that are free */
};

/* Notice code objects that go. Holds the GIL. */
void pinsight_path_code_start(void);

/* What is known of a code object, which a frame of the calling thread runs; made if need be, NULL
 * where memory is short. */
struct pinsight_path_code *pinsight_path_code(const PyCodeObject *code);

/* The line of an instruction at an offset in bytes, 0 where there is none. */
int32_t pinsight_path_code_line(struct pinsight_path_code *known, long offset);

/* How many code objects went that paths had named. Any thread, without the lock. */
uint64_t pinsight_path_deaths(void);

#endif

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

#define PINSIGHT_PATH_LINES 2u

/* A line of the caches. */
struct pinsight_path_code {
    const PyCodeObject *code;
    int32_t *lines;           /* line of each instruction, once many were looked for */
    uint64_t hash;            /* where path_alike.c keeps it */
    uint32_t line_count;      /* 0 while there are no `lines` */
    uint32_t number;          /* in the trace */
    uint32_t birth;           /* no other that was here had the same */
    _Atomic uint32_t defined; /* generation at which it was recorded last; 0 never. Any thread. */
    uint32_t misses;          /* lines that were looked for in the code object's own table */
    struct {
        uint32_t instruction; /* from 1; 0 is free */
        int32_t line;
    } recent[PINSIGHT_PATH_LINES];
} __attribute__((aligned(64)));

/* The name of a code object, borrowed: qualified where it has one. Without the lock. */
static inline PyObject *pinsight_path_code_name(const PyCodeObject *code) {
#if PY_VERSION_HEX >= 0x030b0000
    return code->co_qualname;
#else
    return code->co_name;
#endif
}

/* Notice code objects that go. Holds the GIL. */
void pinsight_path_code_start(void);

/* What the interpreter calls to free a code object, from the start on. */
void pinsight_path_code_dealloc(PyObject *code);

/* Is it still that? Otherwise nothing that is kept here may be believed. Any thread. */
static inline bool pinsight_path_code_is_told(void) {
    return PyCode_Type.tp_dealloc == pinsight_path_code_dealloc;
}

struct pinsight_path_level;

/* Fill in what is known of the code objects of so many levels, those that are new; made if need be,
 * NULL where memory is short. Frames of the calling thread run them. Those that are new here have
 * no number before the next. */
void pinsight_path_codes(struct pinsight_path_level *levels, uint32_t count);

/* Give the last ones their numbers. */
void pinsight_path_code_numbers(void);

/* It will be asked about this code object, after so many others: the memory that this will read is
 * fetched meanwhile. */
void pinsight_path_code_soon(const PyCodeObject *code, uint32_t before);

/* Fill in the lines of so many levels, those that are new; 0 where there is none. */
void pinsight_path_code_lines(struct pinsight_path_level *levels, uint32_t count);

/* How many code objects went that paths had named. Any thread, without the lock. */
uint64_t pinsight_path_deaths(void);

#endif

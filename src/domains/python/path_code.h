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

/* Half a line of the caches. */
struct pinsight_path_code {
    const PyCodeObject *code;
    uint32_t number; /* in the trace */
    uint32_t birth;  /* no other that was here had the same */
    _Atomic uint32_t
        defined;           /* session version at which it was recorded last; 0 never. Any thread. */
    uint16_t hash, bucket; /* path_intern.c finds equal ones by them */
    uint16_t misses;       /* path_lines.c: so many lines were read from the code object's table */
    uint32_t line_count;   /* and of so many instructions the line is known */
} __attribute__((aligned(32)));

#define PINSIGHT_PATH_CODES_MAX (1u << 20) /* at a time: as many as there may be paths */

extern uint32_t pinsight_path_codes_most; /* of them in this process, from the first on */
extern struct pinsight_path_code *pinsight_path_codes_all; /* NULL before the first; from 1 */

static inline struct pinsight_path_code *pinsight_path_code_at(uint32_t known) {
    return &pinsight_path_codes_all[known];
}

/* The name of a code object, borrowed: qualified where it has one. Without the lock. */
static inline PyObject *pinsight_path_code_name(const PyCodeObject *code) {
#if PY_VERSION_HEX >= 0x030b0000
    return code->co_qualname;
#else
    return code->co_name;
#endif
}

/* One goes; it is still whole. Any thread, with or without the GIL. */
void pinsight_path_code_gone(const PyCodeObject *code);

struct pinsight_path_level;

/* Fill in what is known of so many levels, below `path`: of those without a line the code object,
 * made if need be (0 where memory is short), and the line; of all the path. Frames of the calling
 * thread run the code objects. Where there is no room for another path, that of the caller stands
 * for it. */
void pinsight_path_know(struct pinsight_path_level *levels, uint32_t count, uint32_t path);

/* It will be asked about as many code objects as that: the memory that this will read is fetched
 * meanwhile. */
void pinsight_path_codes_prefetch(uint32_t count);

/* For the next function; zeroed, a thread's own. */
struct pinsight_path_file {
    const PyObject *file;
    uint64_t hash;
};

/* It will be asked about this one, likewise. The last one's file was `file`. */
void pinsight_path_code_prefetch(const PyCodeObject *code, struct pinsight_path_file *file);

/* How many code objects went that paths had named. Any thread, without the lock. */
uint64_t pinsight_path_deaths(void);

#endif

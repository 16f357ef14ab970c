/*
 * The code objects of call paths, found by their addresses while they live. When the interpreter
 * frees a code object, its data are dropped, so that another code object at the same address is not
 * mistaken for it. Code extras cannot be used here, because reading them needs the GIL.
 *
 * All under the lock of the paths (path.h), except for fields with another comment.
 */
#ifndef PINSIGHT_PYTHON_PATH_CODE_H
#define PINSIGHT_PYTHON_PATH_CODE_H

#include "tracer/python/versions.h"

#include <stdatomic.h>
#include <stdbool.h>

/* Its size is half a cache line. */
struct pinsight_path_code {
    const PyCodeObject *code;
    uint32_t number;          /* number in the trace */
    uint32_t birth;           /* different for each code object that had this place */
    _Atomic uint32_t defined; /* session version of its last definition; 0: never. Any thread. */
    uint16_t hash, bucket;    /* path_intern.c finds equal code objects by them */
    /* Number of lines that path_lines.c has read from the code object's table. */
    uint16_t misses;
    uint32_t line_count; /* number of instructions whose line is known */
} __attribute__((aligned(32)));

#define PINSIGHT_PATH_CODES_MAX (1u << 20) /* at the same time; equal to the most paths */

extern uint32_t pinsight_path_codes_most; /* the limit of this process */
/* NULL before the first; indexes begin with 1 */
extern struct pinsight_path_code *pinsight_path_codes_all;

static inline struct pinsight_path_code *pinsight_path_code_at(uint32_t known) {
    return &pinsight_path_codes_all[known];
}

/* Returns the name of a code object, borrowed: the qualified name if it has one. Without the lock.
 */
static inline PyObject *pinsight_path_code_name(const PyCodeObject *code) {
#if PY_VERSION_HEX >= 0x030b0000
    return code->co_qualname;
#else
    return code->co_name;
#endif
}

/* Called when a code object is freed, while it is still intact. Any thread, with or without the
 * GIL. */
void pinsight_path_code_gone(const PyCodeObject *code);

struct pinsight_path_level;

/* Returns a living code object with that number in the trace, or NULL. Searches all of them. */
struct pinsight_path_code *pinsight_path_code_numbered(uint32_t number);

/* Fills in levels below `path`. A level without a line gets its code object (made if necessary; 0
 * if memory is short) and its line. All levels get their paths. The code objects run in frames of
 * the calling thread. If there is no room for another path, the caller's path is used. */
void pinsight_path_know(struct pinsight_path_level *levels, uint32_t count, uint32_t path);

/* Returns whether a call path has named a living code object. */
bool pinsight_path_code_is_known(const void *code);

/* Prefetches the memory for that many look-ups of code objects. */
void pinsight_path_codes_prefetch(uint32_t count);

/* For pinsight_path_code_prefetch(). Zeroed at first, and used by one thread. */
struct pinsight_path_file {
    const PyObject *file;
    uint64_t hash;
};

/* Prefetches the memory for the look-up of a code object. `file` has the file of the previous one.
 */
void pinsight_path_code_prefetch(const PyCodeObject *code, struct pinsight_path_file *file);

/* Returns the number of freed code objects that paths had named. Any thread, without the lock. */
uint64_t pinsight_path_deaths(void);

#endif

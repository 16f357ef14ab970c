/*
 * The libraries of BLAS and LAPACK in the process.
 *
 * The exported trampolines are for objects in the dynamic linker's global scope, which share one
 * library. Other objects may be linked with a library each: the wheels of NumPy and SciPy have the
 * same names. Such an object can lend a function to code that is linked with none of them, so the
 * return address of a call does not determine its library. Therefore each of these libraries has a
 * set of trampolines, and the objects' references are bound to the set (references.h).
 */
#ifndef PINSIGHT_PRELOAD_BLAS_LIBRARIES_H
#define PINSIGHT_PRELOAD_BLAS_LIBRARIES_H

#include "tracer/blas/shim.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* The function that a call goes to, and its library. `to` is written last, and NULL before. */
struct pinsight_blas_target {
    void *_Atomic to;
    const struct pinsight_blas_opened *_Atomic library;
};

/* The names of the functions, in their order. */
extern const char *const pinsight_blas_names[];

/* Protects the sets, the list of callers, and the references while they are changed. Nothing that
 * needs the dynamic linker's lock is called with it. */
extern pthread_mutex_t pinsight_blas_lock;

/* Calls the next dlsym(), for this library. Any thread. */
void *pinsight_blas_symbol(void *handle, const char *name);

/* Calls the next dlclose(). Any thread. */
int pinsight_blas_close(void *handle);

/* Returns the number of the exported trampoline at an address, or -1. Any thread. */
int pinsight_blas_number_at(const void *address);

/* Returns the trampoline of the library that has `function`, whose number is given. Returns
 * `function` itself if there are more libraries than sets; its calls are not recorded then. Any
 * thread that may wait for the dynamic linker. */
void *pinsight_blas_trampoline_of(void *function, unsigned number);

/* Returns the target of a trampoline of sets other than 0. Its function is NULL if the library was
 * unloaded. Any thread. */
const struct pinsight_blas_target *pinsight_blas_target_of(unsigned entry);

/* Returns the library with a number, or NULL. Any thread. */
const struct pinsight_blas_opened *pinsight_blas_library_with(unsigned number);

/* Sets a target to a function. Any thread that may wait for the dynamic linker. */
void pinsight_blas_target_set(struct pinsight_blas_target *target, void *function);

/* Frees the sets of libraries that were unloaded. Any thread. */
void pinsight_blas_libraries_forget(void);

#endif

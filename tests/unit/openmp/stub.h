/*
 * A stub of an OpenMP runtime, as far as a tool sees one: it hands out OMPT's functions
 * (OpenMP 5.1, 4.2.3) and calls the callbacks in the order that LLVM's libomp does. Teams are made
 * of threads that are kept for the next region; a worker learns of a region's end when it is needed
 * again.
 */
#ifndef PINSIGHT_TESTS_OPENMP_STUB_H
#define PINSIGHT_TESTS_OPENMP_STUB_H

#include "tracer/openmp/ompt.h"

#include <stdatomic.h>
#include <stdbool.h>

/* The runtime is loaded and asks for a tool; false where it declines. */
bool stub_load(void);

/* It is unloaded. No thread of it may be left. */
void stub_unload(void);

/* It has no callback of that number, from the next load on. */
void stub_refuse(ompt_callbacks_t event);

/* Is a callback set? */
bool stub_has(ompt_callbacks_t event);

/* The calling thread, which is not the runtime's, begins to use OpenMP, and ceases to. */
void stub_begin(void);
void stub_end(void);

/* A parallel region of so many threads, each of which calls `body`. */
void stub_parallel(int threads, void (*body)(void *data), void *data, const void *code);

/* Constructs, in the calling thread. `inside` may be NULL. */
extern void (*_Atomic stub_inside)(void); /* called in those that take no function; NULL at first */
void stub_loop(void (*inside)(void *data), void *data, const void *code);
void stub_masked(const void *code);
void stub_unreported_single(const void *code); /* begun as GCC's programs do, which tell no end */
void stub_unended_loop(const void *code);      /* begun, and left without its end */
void stub_barrier(const void *code);
void stub_reduction(const void *code);
void stub_critical(const void *code);
void stub_nest_lock(const void *code);
void stub_test_lock(const void *code); /* told to be released as a lock, as libomp 19 does */
void stub_task(void (*inside)(void *data), void *data, const void *code);
void stub_target(const void *code);

/* A worker ends, in the middle of what it does: pthread_exit. */
void stub_leave(void) __attribute__((noreturn));

/* In a forked child: the calling thread is the only one. libomp 19 tells its begins, at once. */
void stub_forked(bool tells);

#endif

/* The trampolines of GCC's OpenMP, and the functions that set their targets. */
#ifndef PINSIGHT_PRELOAD_GOMP_TRAMPOLINES_H
#define PINSIGHT_PRELOAD_GOMP_TRAMPOLINES_H

/* The most functions that are newer than the table and are counted. Also in trampolines.S. */
#define PINSIGHT_GOMP_NEWER 32

#ifndef __ASSEMBLER__

#include <link.h>
#include <stdatomic.h>

/* The targets, by enum pinsight_gomp_function. At first each is the entry of pinsight_gomp_choices
 * with the same number. */
extern void *_Atomic pinsight_gomp_targets[];

/* Targets that depend on the caller: each calls pinsight_gomp_choose(). */
extern void *const pinsight_gomp_choices[];

/* Returns the target of a call. `caller` is the address that the call returns to, `first` its first
 * argument. Thread-safe. */
void *pinsight_gomp_choose(unsigned function, const void *caller, const void *first);

/* Trampolines that count, their targets, and the counts of calls. The counts are exact on x86-64,
 * and nearly exact elsewhere. */
extern void *const pinsight_gomp_newer_entries[];
extern void *_Atomic pinsight_gomp_newer_targets[];
extern unsigned long pinsight_gomp_newer_calls[];

/* ---- newer.c ---- */

/* Finds newer functions in `libgomp`, the first time that it is called, and redirects the loaded
 * objects' calls of them. One thread at a time. */
void pinsight_gomp_newer_look(const struct link_map *libgomp);

/* Reports the newer functions that were called. Called at the end of the process. */
void pinsight_gomp_newer_say(void);

#endif

#endif

/* The trampolines, for the code that says where they lead. */
#ifndef PINSIGHT_PRELOAD_GOMP_TRAMPOLINES_H
#define PINSIGHT_PRELOAD_GOMP_TRAMPOLINES_H

/* Functions that are newer than the table, which are counted; more of a library are not. Also in
 * trampolines.S. */
#define PINSIGHT_GOMP_NEWER 32

#ifndef __ASSEMBLER__

#include <link.h>
#include <stdatomic.h>

/* Where each leads, by enum pinsight_gomp_function. At first, to the function of the same number
 * below. */
extern void *_Atomic pinsight_gomp_targets[];

/* Where each leads if that depends on the caller: to what asks pinsight_gomp_choose. */
extern void *const pinsight_gomp_choices[];

/* Where the call of a function goes on. `caller` is the address that the call returns to, `first`
 * its first argument. Thread-safe. */
void *pinsight_gomp_choose(unsigned function, const void *caller, const void *first);

/* Trampolines that count, where they lead, and how often they were called: on x86-64 exactly, else
 * at least about. */
extern void *const pinsight_gomp_newer_entries[];
extern void *_Atomic pinsight_gomp_newer_targets[];
extern unsigned long pinsight_gomp_newer_calls[];

/* ---- newer.c ---- */

/* Looks at a libgomp that is loaded (the first one) and at the objects that are. One thread at a
 * time. */
void pinsight_gomp_newer_look(const struct link_map *libgomp);

/* Says what was called. At the process's end. */
void pinsight_gomp_newer_say(void);

#endif

#endif

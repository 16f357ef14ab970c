/*
 * Common parts of the wrappers of GCC's OpenMP. libgomp has no tools interface. The wrappers
 * therefore call the domain's callbacks (domain.h), in the order in which a runtime with OMPT would
 * call them. The trampolines (src/tracer/preload/gomp) jump to the wrappers while the domain is on.
 */
#ifndef PINSIGHT_OPENMP_GOMP_H
#define PINSIGHT_OPENMP_GOMP_H

#include "tracer/openmp/domain.h"
#include "tracer/openmp/gomp_shim.h"

/* Values of work_type in the trace, as in OpenMP 5.2. LLVM's older headers lack them. */
enum {
    PINSIGHT_LOOP_STATIC = 10,
    PINSIGHT_LOOP_DYNAMIC,
    PINSIGHT_LOOP_GUIDED,
    PINSIGHT_LOOP_OTHER
};

/* The requested number of threads if the program leaves the number to the runtime. */
enum { PINSIGHT_GOMP_DEFAULT = 0 };

/* A region that the program begins and ends by two calls. */
struct pinsight_gomp_split {
    struct pinsight_ompt_region *region;
    struct pinsight_gomp_split *outer; /* the region that the thread began before */
    struct pinsight_gomp_left before;
    bool is_member; /* the thread that began the region is in its own part of it */
};

extern const struct pinsight_gomp_shim *pinsight_gomp_shim;

/* Returns the calling thread's state for a wrapper, and makes it if there is none. Returns NULL if
 * the callbacks must not be called. */
struct pinsight_ompt_thread *pinsight_gomp_thread_slow(void) PINSIGHT_COLD;

static inline struct pinsight_ompt_thread *pinsight_gomp_thread(void) {
    if (pinsight_domain_mode_now(&pinsight_openmp_domain) < PINSIGHT_MODE_MONITORING)
        return NULL;
    struct pinsight_ompt_thread *thread = pinsight_omp_thread_there();
    return __builtin_expect(thread && thread->gomp.is_reported, 1) ? thread
                                                                   : pinsight_gomp_thread_slow();
}

/* Returns the libgomp of a caller, as pinsight_gomp_shim->find() does. */
static inline const struct pinsight_gomp_runtime *pinsight_gomp_find(const void *caller,
                                                                     const void *outlined) {
    const struct pinsight_gomp_runtime *only = *pinsight_gomp_shim->global;
    return __builtin_expect(only != NULL, 1) ? only : pinsight_gomp_shim->find(caller, outlined);
}

/* Returns the address that identifies a construct with an outlined function. Addresses in the trace
 * are return addresses, and views look up the instruction before them. Therefore the result is one
 * byte behind the function's start. */
static inline const void *pinsight_gomp_code(void (*outlined)(void *)) {
    return (const char *)(uintptr_t)outlined + 1;
}

/* Returns the number of iterations of a loop from `first` to before `last`. */
static inline uint64_t pinsight_gomp_iterations(long first, long last, long step) {
    if (step > 0)
        return first < last ? ((uint64_t)last - (uint64_t)first - 1) / (uint64_t)step + 1 : 0;
    return first > last && step ? ((uint64_t)first - (uint64_t)last - 1) / (0 - (uint64_t)step) + 1
                                : 0;
}

/* Like pinsight_gomp_iterations(), for an unsigned variable. `up` means that it grows; otherwise
 * the step is a negative number. */
static inline uint64_t pinsight_gomp_iterations_wide(bool up, uint64_t first, uint64_t last,
                                                     uint64_t step) {
    if (up)
        return first < last && step ? (last - first - 1) / step + 1 : 0;
    return first > last && step ? (first - last - 1) / (0 - step) + 1 : 0;
}

/* Returns the calling thread's task in the form of the callbacks' arguments. */
static inline ompt_data_t pinsight_gomp_task(const struct pinsight_ompt_thread *thread) {
    return (ompt_data_t){.value = thread->gomp.task};
}

/* Parts of gomp.c, for domain.c and thread.c. The first redirects calls of libgomp to the wrappers
 * if `mode` observes, and otherwise to libgomp. The second ends the part that a thread was in last.
 */
void pinsight_gomp_redirect(enum pinsight_mode mode);
void pinsight_gomp_thread_ends(struct pinsight_ompt_thread *thread);

/* Makes GCC's OpenMP a runtime of the domain. `shim` is static. Called once. */
void pinsight_omp_gomp_starts(const struct pinsight_gomp_shim *shim);

/* ---- gomp_part.c: threads' parts of regions ---- */

/* The function that libgomp calls in place of an outlined function, with the region's handle. */
void pinsight_gomp_part(void *handle);

/* The two halves of pinsight_gomp_part(), for a thread that calls the outlined function itself. The
 * first fills in `before`, and returns whether the second has to be called. */
bool pinsight_gomp_part_begin(const void *handle, struct pinsight_gomp_left *before);
void pinsight_gomp_part_end(const struct pinsight_ompt_region *region,
                            const struct pinsight_gomp_left *before);

/* Ends the part that the calling thread was in last, because the thread has left the barrier at its
 * end. The second function does so before the thread ends a region that it started. */
void pinsight_gomp_part_left(struct pinsight_ompt_thread *thread);
void pinsight_gomp_part_left_with(struct pinsight_ompt_thread *thread,
                                  const struct pinsight_ompt_region *region);

/* ---- gomp_sync.c ---- */

/* Called before and after the call of a barrier, a taskwait, or the end of a taskgroup. */
void pinsight_gomp_sync_begin(struct pinsight_ompt_thread *thread, ompt_sync_region_t type,
                              const void *codeptr);
void pinsight_gomp_sync_end(ompt_sync_region_t type, const void *codeptr);

/* ---- the wrappers ---- */

/* Prologue of a wrapper. `next` is the function of the caller's libgomp. */
#define PINSIGHT_GOMP_NEXT(name, outlined)                                                         \
    const struct pinsight_gomp_runtime *runtime =                                                  \
        pinsight_gomp_find(__builtin_return_address(0), outlined);                                 \
    __typeof__(&name) next = (__typeof__(&name))runtime->next[PINSIGHT_##name];                    \
    const void *codeptr = __builtin_return_address(0);                                             \
    (void)codeptr

#define OUTLINED(name) extern void *const pinsight_gomp_on_##name;
#define CALL(name) extern void *const pinsight_gomp_on_##name;
#include "tracer/openmp/gomp_functions.def"

/* Follows a static function `name`, which is a wrapper. */
#define PINSIGHT_GOMP_WRAPPER(name) void *const pinsight_gomp_on_##name = (void *)name;

#endif

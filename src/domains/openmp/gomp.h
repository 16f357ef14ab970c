/*
 * GCC's OpenMP: what the wrappers of its functions share. libgomp has no tools interface, so the
 * wrappers tell the domain's callbacks (domain.h) what a runtime with OMPT would tell them, in the
 * same order. The trampolines (src/preload/gomp) lead to the wrappers while the domain is on.
 */
#ifndef PINSIGHT_OPENMP_GOMP_H
#define PINSIGHT_OPENMP_GOMP_H

#include "domains/openmp/domain.h"
#include "domains/openmp/gomp_shim.h"

/* Of work_type in the trace, as in OpenMP 5.2; LLVM's older headers lack them. */
enum {
    PINSIGHT_LOOP_STATIC = 10,
    PINSIGHT_LOOP_DYNAMIC,
    PINSIGHT_LOOP_GUIDED,
    PINSIGHT_LOOP_OTHER
};

/* How many threads a region is asked for if the program leaves that to the runtime. */
enum { PINSIGHT_GOMP_DEFAULT = 0 };

/* A region that begins and ends by two calls. */
struct pinsight_gomp_split {
    struct pinsight_ompt_region *region;
    struct pinsight_gomp_split *outer; /* that the thread began before */
    struct pinsight_gomp_left before;
    bool is_member; /* the thread that began it is in its part */
};

extern const struct pinsight_gomp_shim *pinsight_gomp_shim;

/* The calling thread's state for the call of a wrapper. NULL: nothing is to be told. */
struct pinsight_ompt_thread *pinsight_gomp_thread_slow(void) PINSIGHT_COLD;

static inline struct pinsight_ompt_thread *pinsight_gomp_thread(void) {
    if (pinsight_domain_mode_now(&pinsight_openmp_domain) < PINSIGHT_MODE_MONITORING)
        return NULL;
    struct pinsight_ompt_thread *thread = pinsight_omp_thread_there();
    return __builtin_expect(thread && thread->gomp.is_reported, 1) ? thread
                                                                   : pinsight_gomp_thread_slow();
}

/* The address that names a construct with an outlined function. Addresses in the trace are those
 * that calls return to, and views look at what is before them. */
static inline const void *pinsight_gomp_code(void (*outlined)(void *)) {
    return (const char *)(uintptr_t)outlined + 1;
}

/* The iterations of a loop from `first` to before `last`. */
static inline uint64_t pinsight_gomp_iterations(long first, long last, long step) {
    if (step > 0)
        return first < last ? ((uint64_t)last - (uint64_t)first - 1) / (uint64_t)step + 1 : 0;
    return first > last && step ? ((uint64_t)first - (uint64_t)last - 1) / (0 - (uint64_t)step) + 1
                                : 0;
}

/* The same where the variable is unsigned; `up`: it grows, else the step is a negative number. */
static inline uint64_t pinsight_gomp_iterations_wide(bool up, uint64_t first, uint64_t last,
                                                     uint64_t step) {
    if (up)
        return first < last && step ? (last - first - 1) / step + 1 : 0;
    return first > last && step ? (first - last - 1) / (0 - step) + 1 : 0;
}

/* The calling thread's task, as the callbacks take it. */
static inline ompt_data_t pinsight_gomp_task(const struct pinsight_ompt_thread *thread) {
    return (ompt_data_t){.value = thread->gomp.task};
}

/* What of gomp.c the domain calls (domain.c, thread.c). */
void pinsight_gomp_redirect(enum pinsight_mode mode);
void pinsight_gomp_thread_ends(struct pinsight_ompt_thread *thread);

/* The domain has GCC's OpenMP from now on (domain.c). */
void pinsight_omp_gomp_starts(const struct pinsight_gomp_shim *shim);

/* ---- gomp_part.c: threads' parts of regions ---- */

/* What libgomp calls in place of the outlined function; of a struct pinsight_ompt_region. */
void pinsight_gomp_part(void *region);

/* The two halves of that, for a thread that calls the outlined function by itself. The first fills
 * in `before`, and gives whether there is to be the second. */
bool pinsight_gomp_part_begin(struct pinsight_ompt_region *region,
                              struct pinsight_gomp_left *before);
void pinsight_gomp_part_end(const struct pinsight_ompt_region *region,
                            const struct pinsight_gomp_left *before);

/* The calling thread has left the barrier at the end of the part that it was in last. */
void pinsight_gomp_part_left(struct pinsight_ompt_thread *thread);

/* ---- gomp_sync.c ---- */

/* A barrier, taskwait or taskgroup; around the call. */
void pinsight_gomp_sync_begin(struct pinsight_ompt_thread *thread, ompt_sync_region_t type,
                              const void *codeptr);
void pinsight_gomp_sync_end(ompt_sync_region_t type, const void *codeptr);

/* ---- the wrappers ---- */

/* Prologue of a wrapper: `next` is the function of the caller's libgomp. */
#define PINSIGHT_GOMP_NEXT(name, outlined)                                                         \
    const struct pinsight_gomp_runtime *runtime =                                                  \
        pinsight_gomp_shim->find(__builtin_return_address(0), outlined);                           \
    __typeof__(&name) next = (__typeof__(&name))runtime->next[PINSIGHT_##name];                    \
    const void *codeptr = __builtin_return_address(0);                                             \
    (void)codeptr

#define OUTLINED(name) extern void *const pinsight_gomp_on_##name;
#define CALL(name) extern void *const pinsight_gomp_on_##name;
#include "domains/openmp/gomp_functions.def"

/* After a static function `name`, which is a wrapper. */
#define PINSIGHT_GOMP_WRAPPER(name) void *const pinsight_gomp_on_##name = (void *)name;

#endif

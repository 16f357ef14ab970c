/* The place of a thread in Python; see path.h. */
#include "tracer/python/path.h"

#include "tracer/core/link.h"
#include "tracer/core/log.h"
#include "tracer/core/process.h"
#include "tracer/python/cpython/code_death.h"
#include "tracer/python/cpython/frame.h"
#include "tracer/python/path_code.h"
#include "tracer/python/path_intern.h"
#include "tracer/python/path_pages.h"
#include "tracer/python/path_tree.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#define PREPARED 64u /* the most new levels for which memory is prefetched */

static struct pinsight_log_once too_deep = PINSIGHT_LOG_ONCE_INIT;

static inline bool is_at(const struct pinsight_path_level *level, const pinsight_frame *frame) {
    return level->at == pinsight_frame_at(frame) && level->code == pinsight_frame_code(frame);
}

/* Returns whether the thread is at the place of its last call. Compares from the innermost frame,
 * where changes happen. A frame that Python does not show yet may count as a difference, because a
 * look at its code object could be a cache miss. */
static inline bool is_same(const struct pinsight_path_thread *thread, const pinsight_frame *frame) {
    const struct pinsight_path_level *level = thread->levels + thread->room,
                                     *base = level - thread->depth;
    for (; frame; frame = pinsight_frame_caller(frame)) {
        if (PINSIGHT_LIKELY(level > base && is_at(level - 1, frame)))
            level--;
        else if (!pinsight_frame_is_internal(frame))
            return level == base && thread->depth == PINSIGHT_PATH_DEEPEST;
    }
    return level == base;
}

/* Returns whether the code object of a level of the last path is still the same. */
static inline bool is_alive(const struct pinsight_path_level *level) {
    return level->known && pinsight_path_code_at(level->known)->birth == level->birth;
}

/* Collects the frames that count, innermost first. Returns their number. Frames at the same
 * distance from the innermost as at the last call are taken from there, unless code objects were
 * freed; from `same` on, all are. Memory for the others is prefetched. */
static uint32_t collect(struct pinsight_path_thread *thread, const pinsight_frame *frame,
                        bool some_died, uint32_t *same) {
    const struct pinsight_path_level *last = thread->levels + thread->room;
    struct pinsight_path_level *level = thread->others + thread->room;
    struct pinsight_path_file file = {0};
    uint32_t count = 0, differ = 0;
    for (; frame; frame = pinsight_frame_caller(frame)) {
        if (pinsight_frame_is_internal(frame))
            continue;
        if (PINSIGHT_UNLIKELY(count == thread->room)) {
            if (!pinsight_path_thread_grow(thread)) {
                pinsight_log_once(
                    &too_deep,
                    "a thread is deeper in Python than %u calls: what native work says of "
                    "its Python callers begins at the innermost %u",
                    PINSIGHT_PATH_DEEPEST, count);
                break;
            }
            last = thread->levels + thread->room - count;
            level = thread->others + thread->room - count;
        }
        if (count < thread->depth && is_at(last - 1, frame) && (!some_died || is_alive(last - 1))) {
            level[-1] = last[-1];
            __builtin_prefetch(pinsight_path_code_at(last[-1].known));
        } else {
            const void *code = pinsight_frame_code(frame);
            uintptr_t at = pinsight_frame_at(frame);
            if (!pinsight_frame_counts(code, at, pinsight_frame_is_of_generator(frame)))
                continue;
            level[-1] =
                (struct pinsight_path_level){.code = code, .at = at, .line = PINSIGHT_PATH_NO_LINE};
            pinsight_path_code_prefetch(code, &file);
            differ = count + 1;
        }
        last--;
        level--;
        count++;
    }
    *same = differ;
    return count;
}

/* Returns the number of levels that are equal to those of the last call, from the outermost on. */
static uint32_t common(const struct pinsight_path_thread *thread, uint32_t depth, bool some_died,
                       uint32_t same) {
    if (depth == thread->depth)
        return depth - same;
    const struct pinsight_path_level *last = pinsight_path_levels(thread);
    struct pinsight_path_level *level = thread->others + thread->room - depth;
    uint32_t most = depth < thread->depth ? depth : thread->depth, count = 0;
    while (count < most && last[count].code == level[count].code &&
           last[count].at == level[count].at && (!some_died || is_alive(&last[count]))) {
        level[count] = last[count];
        count++;
    }
    return count;
}

__attribute__((cold)) void pinsight_path_too_many(void) {
    static struct pinsight_log_once said = PINSIGHT_LOG_ONCE_INIT;
    struct rlimit limit;
    if (pinsight_path_last + 1 >= PINSIGHT_PATHS_MAX)
        pinsight_log_once(&said,
                          "native work is called from more than %u places of Python (each with "
                          "all its callers): of further ones the outer part is recorded",
                          pinsight_path_last);
    else if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        pinsight_log_once(&said,
                          "the address space of process %d is limited to %llu KiB (ulimit -v): of "
                          "the places of Python that native work is called from %u are recorded, "
                          "and of further ones the outer part; raise the limit",
                          (int)pinsight_process.pid, (unsigned long long)limit.rlim_cur / 1024,
                          pinsight_path_last);
    else
        pinsight_log_once(&said,
                          "process %d has no memory left: of the places of Python that native work "
                          "is called from %u are recorded, and of further ones the outer part",
                          (int)pinsight_process.pid, pinsight_path_last);
}

static __attribute__((noinline)) uint32_t find_anew(struct pinsight_path_thread *thread,
                                                    const PyThreadState *state,
                                                    const pinsight_frame *top,
                                                    uint32_t session_version) {
    int error = errno;
    uint32_t likely = thread->depth < PREPARED ? thread->depth : PREPARED, same;
    /* Memory that is probably not in the cache is prefetched as early as its address is known. The
     * processor then waits for all of it at once. */
    pinsight_path_near_prefetch();
    pinsight_path_lock();
    if (PINSIGHT_UNLIKELY(pinsight_code_death_is_of_others(state)))
        pinsight_code_death_of_others();
    pinsight_path_codes_prefetch(likely);
    pinsight_path_prefetch(likely);
    uint64_t deaths = pinsight_path_deaths();
    bool some_died = thread->deaths != deaths;
    uint32_t depth = collect(thread, top, some_died, &same);
    uint32_t from = common(thread, depth, some_died, same);
    thread->deaths = deaths;
    struct pinsight_path_level *levels = thread->others;
    thread->others = thread->levels;
    thread->levels = levels;
    thread->depth = depth;
    levels = pinsight_path_levels(thread);
    uint32_t caller = from ? levels[from - 1].path : 0;
    if (from < depth) {
        struct pinsight_path_level *first = levels + from;
        uint32_t number =
            first->known ? pinsight_path_code_at(first->known)->number : pinsight_path_numbers.next;
        pinsight_path_find_prefetch(caller, number,
                                    ((const PyCodeObject *)first->code)->co_firstlineno);
        pinsight_path_know(first, depth - from, caller);
    }
    pinsight_path_unlock();
    bool defined = pinsight_path_define(
        thread, thread->session_version == session_version ? from : 0, session_version);
    thread->session_version = defined ? session_version : 0;
    errno = error;
    return depth ? levels[depth - 1].path : 0;
}

/* Another part of the process has replaced the watching function. */
static __attribute__((noinline)) uint32_t give_up(void) {
    static struct pinsight_log_once said = PINSIGHT_LOG_ONCE_INIT;
    atomic_store(&pinsight_link, NULL);
    pinsight_log_once(&said,
                      "another tool in process %d took over how CPython frees code objects, so "
                      "native events do not say which Python caused them any more; leave that tool "
                      "out",
                      (int)pinsight_process.pid);
    return 0;
}

static inline uint32_t find(struct pinsight_path_thread *thread) {
    if (PINSIGHT_UNLIKELY(!pinsight_code_death_is_watched()))
        return give_up();
    const PyThreadState *state = PyGILState_GetThisThreadState();
    const pinsight_frame *top = state ? pinsight_frame_top(state) : NULL;
    if (!top)
        return 0;
    uint32_t session_version = pinsight_session_version();
    if (PINSIGHT_LIKELY(thread->session_version == session_version &&
                        thread->deaths == pinsight_path_deaths() && is_same(thread, top)))
        return thread->depth ? thread->levels[thread->room - 1].path : 0;
    return find_anew(thread, state, top, session_version);
}

static uint32_t provide(void) {
    struct pinsight_path_thread *thread = pinsight_path_thread();
    uint32_t path = 0;
    if (!thread)
        return 0;
    /* Either the ending thread sees this flag and waits, or this thread sees that the end has come.
     */
    atomic_store(&thread->inside, true);
    if (PINSIGHT_LIKELY(pinsight_path_is_open()))
        path = find(thread);
    atomic_store_explicit(&thread->inside, false, memory_order_release);
    return path;
}

bool pinsight_path_start(void) {
    if (!pinsight_path_threads_start())
        return false;
    pinsight_code_death_start();
    atomic_store(&pinsight_link, provide);
    return true;
}

void pinsight_path_end(void) {
    atomic_store(&pinsight_link, NULL);
    pinsight_path_threads_end();
}

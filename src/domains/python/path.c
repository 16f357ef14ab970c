/* Where in Python a thread is; see path.h. */
#include "domains/python/path.h"

#include "core/link.h"
#include "core/log.h"
#include "core/process.h"
#include "domains/python/path_alike.h"
#include "domains/python/path_code.h"
#include "domains/python/path_frame.h"
#include "domains/python/path_tree.h"

#include <errno.h>
#include <string.h>

static struct pinsight_log_once too_deep = PINSIGHT_LOG_ONCE_INIT;
static struct pinsight_log_once too_many = PINSIGHT_LOG_ONCE_INIT;

/* Is the thread where it was at its last call? Innermost first, because what changes is there. A
 * frame that Python does not show yet may be taken for a difference: what a code object has is not
 * looked at here, where that may have to be fetched. */
static inline bool is_same(const struct pinsight_path_thread *thread, const pinsight_frame *frame) {
    const struct pinsight_path_level *base = thread->levels, *level = base + thread->depth;
    for (; frame; frame = pinsight_frame_caller(frame)) {
        if (PINSIGHT_LIKELY(level > base && level[-1].at == pinsight_frame_at(frame) &&
                            level[-1].code == pinsight_frame_code(frame)))
            level--;
        else if (!pinsight_frame_is_internal(frame))
            return level == base && thread->depth == PINSIGHT_PATH_DEEPEST;
    }
    return level == base;
}

/* Was the level that many from the innermost there at the last call? Then it counts. */
static inline bool was_there(const struct pinsight_path_thread *thread, uint32_t inner,
                             const struct pinsight_path_place *place) {
    if (inner >= thread->depth)
        return false;
    const struct pinsight_path_level *level = &thread->levels[thread->depth - 1 - inner];
    return level->at == place->at && level->code == place->code;
}

/* Where the frames are, innermost first; how many. Of what they run nothing is read yet: where it
 * is new, it is fetched. From `known` on they are where they were at the last call, and count. */
static uint32_t walk(struct pinsight_path_thread *thread, const pinsight_frame *frame,
                     uint32_t *known) {
    const struct pinsight_path_level *level = thread->levels + thread->depth;
    uint32_t count = 0, left = thread->depth;
    *known = 0;
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
            level = thread->levels + left;
        }
        struct pinsight_path_place *place = &thread->places[count++];
        place->code = pinsight_frame_code(frame);
        place->at = pinsight_frame_at(frame);
        place->is_generator = pinsight_frame_is_of_generator(frame);
        place->was_there = false;
        if (left) {
            left--;
            level--;
            place->was_there = level->at == place->at && level->code == place->code;
        }
        if (!place->was_there) {
            *known = count;
            pinsight_frame_fetch(place->code);
        }
    }
    return count;
}

/* Collect the places of the frames that count; how many. */
static uint32_t collect(struct pinsight_path_thread *thread, const pinsight_frame *frame) {
    uint32_t known, count = walk(thread, frame, &known), depth = 0;
    for (uint32_t i = 0; i < known; i++) {
        struct pinsight_path_place *place = &thread->places[i];
        if (!(depth == i ? place->was_there : was_there(thread, depth, place))) {
            if (!pinsight_frame_counts(place->code, place->at, place->is_generator))
                continue;
            pinsight_path_code_soon(place->code, depth);
        }
        if (depth != i)
            thread->places[depth] = *place;
        depth++;
    }
    uint32_t rest = count - known;
    if (depth != known)
        memmove(&thread->places[depth], &thread->places[known], rest * sizeof *thread->places);
    return depth + rest;
}

/* Levels whose code object is not the one that it was are forgotten, and those further in. */
static void forget_dead(struct pinsight_path_thread *thread) {
    uint64_t deaths = pinsight_path_deaths();
    if (thread->deaths == deaths)
        return;
    thread->deaths = deaths;
    uint32_t alive = 0;
    while (alive < thread->depth && thread->levels[alive].known &&
           thread->levels[alive].known->birth == thread->levels[alive].birth)
        alive++;
    thread->depth = alive;
}

static inline bool is_at(const struct pinsight_path_level *level,
                         const struct pinsight_path_place *place) {
    return level->at == place->at && level->code == place->code;
}

/* How many levels, counted from the outermost, are those of the last call. */
static uint32_t common(const struct pinsight_path_thread *thread, uint32_t depth) {
    uint32_t most = depth < thread->depth ? depth : thread->depth, level = 0;
    while (level < most && is_at(&thread->levels[level], &thread->places[depth - 1 - level]))
        level++;
    return level;
}

/* Take over the places of the levels from `from` on. */
static void place(struct pinsight_path_thread *thread, uint32_t from, uint32_t depth) {
    const struct pinsight_path_place *place = &thread->places[depth - from];
    struct pinsight_path_level *level = &thread->levels[from];
    uint32_t before = thread->depth > from ? thread->depth - from : 0;
    for (uint32_t i = 0; i < depth - from; i++, level++) {
        place--;
        level->is_new = i >= before || !is_at(level, place);
        level->code = place->code;
        level->at = place->at;
    }
}

/* Where there is no room for another path, that of the caller stands for it. */
static void find_paths(struct pinsight_path_thread *thread, uint32_t from, uint32_t depth) {
    uint32_t path = from ? thread->levels[from - 1].path : 0;
    for (uint32_t i = from; i < depth; i++) {
        struct pinsight_path_level *level = &thread->levels[i];
        uint32_t found =
            level->known ? pinsight_path_find(path, level->known->number, level->line) : 0;
        if (PINSIGHT_UNLIKELY(!found))
            pinsight_log_once(&too_many,
                              "native work is called from more than %u places of Python (each with "
                              "all its callers): of further ones the outer part is recorded",
                              pinsight_path_last);
        level->path = path = found ? found : path;
    }
}

static __attribute__((noinline)) uint32_t
find_anew(struct pinsight_path_thread *thread, const pinsight_frame *top, uint32_t generation) {
    int error = errno;
    pinsight_path_lock();
    forget_dead(thread);
    uint32_t depth = collect(thread, top);
    uint32_t from = common(thread, depth);
    /* Each for all levels: what the processor waits for, memory that nobody has read for long, it
     * then waits for together. */
    struct pinsight_path_level *first = thread->levels + from;
    uint32_t caller = from ? first[-1].path : 0, count = depth - from;
    place(thread, from, depth);
    pinsight_path_soon(caller, count);
    pinsight_path_codes(first, count);
    if (count) {
        pinsight_path_code_lines(first, 1);
        uint32_t number = first->known ? first->known->number : 0;
        pinsight_path_find_soon(caller, number ? number : pinsight_path_alike_next(), first->line);
        pinsight_path_code_lines(first + 1, count - 1);
        pinsight_path_code_numbers();
    }
    find_paths(thread, from, depth);
    thread->depth = depth;
    pinsight_path_unlock();
    bool defined =
        pinsight_path_define(thread, thread->generation == generation ? from : 0, generation);
    thread->generation = defined ? generation : 0;
    errno = error;
    return depth ? thread->levels[depth - 1].path : 0;
}

/* Something else of the process put its own function where ours was. */
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
    if (PINSIGHT_UNLIKELY(!pinsight_path_code_is_told()))
        return give_up();
    const PyThreadState *state = PyGILState_GetThisThreadState();
    const pinsight_frame *top = state ? pinsight_frame_top(state) : NULL;
    if (!top)
        return 0;
    uint32_t generation = pinsight_generation();
    if (PINSIGHT_LIKELY(thread->generation == generation &&
                        thread->deaths == pinsight_path_deaths() && is_same(thread, top)))
        return thread->depth ? thread->levels[thread->depth - 1].path : 0;
    return find_anew(thread, top, generation);
}

static uint32_t provide(void) {
    struct pinsight_path_thread *thread = pinsight_path_thread();
    uint32_t path = 0;
    if (!thread)
        return 0;
    /* One of the two sees the other: the end that waits for it, or this thread that it is over. */
    atomic_store(&thread->inside, true);
    if (PINSIGHT_LIKELY(pinsight_path_is_open()))
        path = find(thread);
    atomic_store_explicit(&thread->inside, false, memory_order_release);
    return path;
}

bool pinsight_path_start(void) {
    if (!pinsight_path_threads_start())
        return false;
    pinsight_path_code_start();
    atomic_store(&pinsight_link, provide);
    return true;
}

void pinsight_path_end(void) {
    atomic_store(&pinsight_link, NULL);
    pinsight_path_threads_end();
}

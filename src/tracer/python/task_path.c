/* The place where a task waits, as a call path; see tasks.h. */
#include "tracer/python/cpython/code_death.h"
#include "tracer/python/cpython/suspended.h"
#include "tracer/python/path.h"
#include "tracer/python/path_code.h"
#include "tracer/python/tasks.h"

/* The most coroutines of a task that are read, from the outermost on. */
#define DEEPEST 256

static uint32_t path_of(struct pinsight_path_level *levels, uint32_t count) {
    if (!count || !pinsight_path_is_open() || !pinsight_code_death_is_watched())
        return 0;
    pinsight_path_lock();
    pinsight_path_know(levels, count, 0);
    pinsight_path_unlock();
    struct pinsight_path_thread whole = {.depth = count, .room = count, .levels = levels};
    pinsight_path_define(&whole, 0, pinsight_session_version());
    return levels[count - 1].path;
}

/* Adds the place of a frame. Returns false if the frame does not count. */
static bool add(struct pinsight_path_level *level, const pinsight_frame *frame) {
    const void *code = frame ? pinsight_frame_code(frame) : NULL;
    if (!code || Py_TYPE(code) != &PyCode_Type)
        return false;
    *level = (struct pinsight_path_level){
        .code = code, .at = pinsight_frame_at(frame), .line = PINSIGHT_PATH_NO_LINE};
    return true;
}

/* Returns a hash for the comparison with the last place. Tasks wait at few places, again and again.
 */
static uint64_t hash_of(const struct pinsight_path_level *levels, uint32_t count) {
    uint64_t hash = count;
    for (uint32_t i = 0; i < count; i++) {
        hash = (hash ^ (uintptr_t)levels[i].code) * UINT64_C(0x9E3779B97F4A7C15);
        hash = (hash ^ hash >> 29 ^ levels[i].at) * UINT64_C(0xBF58476D1CE4E5B9);
    }
    return hash ^ hash >> 32;
}

uint32_t pinsight_task_path(PyObject *coroutine, struct pinsight_task_place *last) {
    struct pinsight_path_level levels[DEEPEST];
    uint32_t count = 0;
    PyObject *at = coroutine;
    Py_INCREF(at);
    /* The last object keeps all earlier ones alive, because each waits for the next. */
    while (at && count < DEEPEST) {
        PyObject *next = pinsight_suspended_on(at);
        count += add(&levels[count], pinsight_suspended_frame(at));
        Py_DECREF(at);
        at = next;
    }
    Py_XDECREF(at);
    struct pinsight_task_place place = {.hash = hash_of(levels, count),
                                        .deaths = pinsight_path_deaths(),
                                        .session_version = pinsight_session_version()};
    if (!last->path || last->hash != place.hash || last->deaths != place.deaths ||
        last->session_version != place.session_version) {
        place.path = path_of(levels, count);
        *last = place;
    }
    return last->path;
}

uint32_t pinsight_task_path_of_code(PyCodeObject *code) {
    struct pinsight_path_level level = {
        .code = code, .at = pinsight_suspended_first(code), .line = PINSIGHT_PATH_NO_LINE};
    return path_of(&level, 1);
}

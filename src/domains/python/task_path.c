/* Where a task waits, as a call path; see tasks.h. */
#include "domains/python/cpython/code_death.h"
#include "domains/python/cpython/suspended.h"
#include "domains/python/path.h"
#include "domains/python/path_code.h"
#include "domains/python/tasks.h"

/* Coroutines of a task that are looked through, the outermost ones. */
#define DEEPEST 256

static uint32_t path_of(struct pinsight_path_level *levels, uint32_t count) {
    if (!count || !pinsight_path_is_open() || !pinsight_code_death_is_told())
        return 0;
    pinsight_path_lock();
    pinsight_path_know(levels, count, 0);
    pinsight_path_unlock();
    struct pinsight_path_thread whole = {.depth = count, .room = count, .levels = levels};
    pinsight_path_define(&whole, 0, pinsight_session_version());
    return levels[count - 1].path;
}

/* Adds the place of a frame; false where that does not count. */
static bool add(struct pinsight_path_level *level, const pinsight_frame *frame) {
    const void *code = frame ? pinsight_frame_code(frame) : NULL;
    if (!code || Py_TYPE(code) != &PyCode_Type)
        return false;
    *level = (struct pinsight_path_level){
        .code = code, .at = pinsight_frame_at(frame), .line = PINSIGHT_PATH_NO_LINE};
    return true;
}

uint32_t pinsight_task_path(PyObject *coroutine) {
    struct pinsight_path_level levels[DEEPEST];
    uint32_t count = 0;
    PyObject *at = coroutine;
    Py_INCREF(at);
    /* What is found last keeps all before it alive, and those are not freed before this is over:
     * each waits for the next. */
    while (at && count < DEEPEST) {
        PyObject *next = pinsight_suspended_on(at);
        count += add(&levels[count], pinsight_suspended_frame(at));
        Py_DECREF(at);
        at = next;
    }
    Py_XDECREF(at);
    return path_of(levels, count);
}

uint32_t pinsight_task_path_of_code(PyCodeObject *code) {
    struct pinsight_path_level level = {
        .code = code, .at = pinsight_suspended_first(code), .line = PINSIGHT_PATH_NO_LINE};
    return path_of(&level, 1);
}

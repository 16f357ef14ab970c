/* Adoption of open executions; see adopt.h. */
#include "tracer/python/adopt.h"

#include "tracer/python/balance.h"
#include "tracer/python/code.h"
#include "tracer/python/cpython/open_frames.h"
#include "tracer/python/modules.h"
#include "tracer/python/serial.h"

#include <stdlib.h>

/* The most frames that are adopted. Of a deeper stack, only the outer part is. */
enum { MOST_FRAMES = 10000 };

static void ask(struct pinsight_core_thread *core, void *adopts) {
    struct pinsight_python_thread *thread = core->state[pinsight_python_domain.slot];
    if (!thread)
        return;
    thread->adopts = *(bool *)adopts;
    thread->inherited = 0;
    if (thread->adopts && thread->name_tries <= 0)
        thread->name_tries = 1; /* so that its next begin takes the slow path */
    pinsight_python_thread_changed(thread);
}

static void ask_all(bool adopts) {
    pinsight_python.adopts = adopts;
    pinsight_each_thread_stopped(ask, &adopts);
}

void pinsight_adopt_begin(void) {
    ask_all(true);
}

void pinsight_adopt_end(void) {
    ask_all(false);
}

/* Returns the flavour of the current recording. */
static enum pinsight_flavour flavour_now(void) {
    if (pinsight_domain_mode(&pinsight_python_domain) == PINSIGHT_MODE_MONITORING)
        return PINSIGHT_COUNT;
    return pinsight_python.registry ? PINSIGHT_REGISTRY : PINSIGHT_INLINE;
}

/* Adopts one running function, and counts no call. An import is left out, because its module was
 * known only when it was called. */
static void take_over(struct pinsight_python_thread *thread,
                      const struct pinsight_open_frame *frame) {
    if (pinsight_python.has_modules && !pinsight_module_globals_wanted(frame->globals))
        return;
    struct pinsight_python_lexgion *lexgion = pinsight_code_own(frame->code);
    if (!lexgion || lexgion->stands_in)
        lexgion = pinsight_code_lexgion_new(frame->code, frame->globals);
    if (lexgion && !lexgion->imports && !lexgion->schedules)
        pinsight_begin(thread, lexgion, frame->identity, PINSIGHT_PYTHON_BEGIN_HOW_RESUME, 0,
                       flavour_now());
}

/* Adopts the executions from a place of the stack outwards. */
static void take_over_from(struct pinsight_python_thread *thread,
                           const struct pinsight_open_frame *frames, size_t first, size_t count) {
    for (size_t i = count; i-- > first;)
        take_over(thread, &frames[i]);
}

static struct pinsight_open_frame *read_frames(size_t *count) {
    struct pinsight_open_frame *frames = NULL;
    size_t there = pinsight_open_frames(NULL, 0);
    *count = there < MOST_FRAMES ? there : MOST_FRAMES;
    if (*count)
        frames = calloc(*count, sizeof *frames);
    if (frames)
        pinsight_open_frames(frames, *count);
    return frames;
}

/* Returns true once for each thread. */
static bool begins(struct pinsight_python_thread *thread) {
    bool adopts = thread->adopts;
    thread->adopts = false;
    return adopts && !thread->is_out_of_range && pinsight_python.functions;
}

void pinsight_adopt(struct pinsight_python_thread *thread, const void *frame, bool inclusive) {
    PyObject *type, *value, *traceback;
    size_t count, at = 0;
    if (!begins(thread))
        return;
    if (pinsight_is_frameless(frame)) {
        frame = pinsight_frame_of_execution(frame);
        inclusive = true;
    }
    PyErr_Fetch(&type, &value, &traceback);
    pinsight_serial_begin();
    struct pinsight_open_frame *frames = read_frames(&count);
    while (frames && at < count && frames[at].identity != frame)
        at++;
    if (frames && at < count)
        take_over_from(thread, frames, inclusive ? at : at + 1, count);
    free(frames);
    pinsight_serial_end();
    PyErr_Restore(type, value, traceback);
}

void pinsight_adopt_now(struct pinsight_python_thread *thread, size_t own) {
    size_t count;
    if (!begins(thread))
        return;
    struct pinsight_open_frame *frames = read_frames(&count);
    if (frames)
        take_over_from(thread, frames, own, count);
    free(frames);
    PyErr_Clear();
}

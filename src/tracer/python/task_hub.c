/* The causes of callbacks by gevent's hub; see task_hub.h. */
#include "tracer/python/task_hub.h"

#include "tracer/core/clock.h"
#include "tracer/python/cpython/gevent.h"
#include "tracer/python/frames.h"
#include "tracer/python/task_greenlets.h"
#include "tracer/python/task_steps.h"

#include <stdlib.h>
#include <string.h>

static struct pinsight_gevent_ways own;

/* A requested callback. It is identified by its address, without a reference. Another callback,
 * even of another loop, may have the address meanwhile, but it has another number. */
struct asked {
    void *callback;
    uint32_t number;
    struct pinsight_task_cause cause;
};

/* The requested callbacks of a loop that have not ended, as far as observed. The first is the next
 * one. */
struct asked_of {
    const void *loop; /* only compared; no reference */
    struct asked *asked;
    uint32_t first, count, room; /* room is a power of two */
    struct asked_of *next;
};
static struct asked_of *loops; /* the last used one is first */

/* The callbacks in these lists that were not freed, with their numbers. */
static struct pinsight_frames *alive;
static uint32_t last_number;

static struct asked_of *find(const void *loop) {
    struct asked_of **at = &loops, *found;
    while (*at && (*at)->loop != loop)
        at = &(*at)->next;
    found = *at;
    if (found && at != &loops) {
        *at = found->next;
        found->next = loops;
        loops = found;
    }
    return found;
}

static struct asked_of *add_loop(const void *loop) {
    struct asked_of *added = calloc(1, sizeof *added);
    if (added) {
        added->loop = loop;
        added->next = loops;
        loops = added;
    }
    return added;
}

static struct asked *at(const struct asked_of *of, uint32_t number) {
    return &of->asked[(of->first + number) & (of->room - 1)];
}

static bool grow(struct asked_of *of) {
    uint32_t room = of->room ? of->room * 2 : 16;
    struct asked *asked = calloc(room, sizeof *asked);
    if (!asked)
        return false;
    for (uint32_t i = 0; i < of->count; i++)
        asked[i] = *at(of, i);
    free(of->asked);
    of->asked = asked;
    of->room = room;
    of->first = 0;
    return true;
}

/* Returns the first callback that has not ended, and its state; NULL if there is none. */
static struct asked *first(struct asked_of *of, enum pinsight_gevent_state *state) {
    for (; of->count > 0; of->first++, of->count--) {
        struct asked *asked = at(of, 0);
        if (pinsight_frames_number(alive, asked->callback) != asked->number)
            continue;
        *state = pinsight_gevent_state(asked->callback);
        if (*state != PINSIGHT_GEVENT_IS_OVER)
            return asked;
        pinsight_frames_take(alive, asked->callback, NULL);
    }
    return NULL;
}

static void add(const void *loop, PyObject *callback, const struct pinsight_task_cause *cause) {
    enum pinsight_gevent_state state;
    struct asked_of *of = find(loop);
    if (!of && !(of = add_loop(loop)))
        return;
    first(of, &state);
    if (of->count == of->room && !grow(of))
        return;
    last_number += last_number == UINT32_MAX ? 2 : 1; /* never 0, which means none */
    *at(of, of->count++) =
        (struct asked){.callback = callback, .number = last_number, .cause = *cause};
    pinsight_frames_put(&alive, callback, last_number);
}

bool pinsight_task_hub_asked(const void *loop, struct pinsight_task_cause *cause) {
    enum pinsight_gevent_state state;
    struct asked_of *of = find(loop);
    const struct asked *asked = of ? first(of, &state) : NULL;
    if (!asked || state != PINSIGHT_GEVENT_RUNS)
        return false;
    *cause = asked->cause;
    return true;
}

void pinsight_task_hub_fork_child(void) {
    for (struct asked_of *of = loops; of; of = of->next)
        of->count = 0;
    pinsight_frames_free(alive);
    alive = NULL;
}

/* ---- redirected functions of gevent ---- */

static PyObject *run_callback(PyObject *loop, PyObject *const *arguments, Py_ssize_t count,
                              PyObject *names) {
    PyObject *callback = own.run_callback(loop, arguments, count, names);
    struct pinsight_python_thread *thread = callback ? pinsight_task_thread() : NULL;
    if (!thread || !pinsight_gevent_is_callback(callback))
        return callback;
    struct pinsight_task_cause cause = pinsight_task_greenlet_cause(thread);
    cause.ns = pinsight_clock_ns();
    add(loop, callback, &cause);
    return callback;
}

static void dealloc(PyObject *callback) {
    pinsight_frames_take(alive, callback, NULL);
    own.dealloc(callback);
}

void pinsight_task_hub_watch(PyObject *module) {
    static const struct pinsight_gevent_ways ways = {run_callback, dealloc};
    pinsight_gevent_redirect(module, &ways, &own);
}

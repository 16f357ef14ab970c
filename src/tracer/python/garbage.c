/* Collections of garbage; see garbage.h. */
#include "tracer/python/garbage.h"

#include "tracer/core/clock.h"
#include "tracer/python/balance.h"
#include "tracer/python/cpython/gc_list.h"
#include "tracer/python/path.h"
#include "tracer/python/serial.h"
#include "tracer/python/versions.h"

#include <string.h>

#define BEGIN_BYTES 19u
#define END_BYTES 31u

/* Strong references, or NULL. */
static PyObject *walked; /* the list that the interpreter reads */
static PyObject *shown;  /* the program's list, if it is another one */
static PyObject *ours;   /* the callable in `walked` */
static bool watching;
/* The thread whose collection has a recorded begin. There is one at a time. */
static const struct pinsight_python_thread *collecting;
/* Number of open calls of collection(), during which the interpreter reads the list. */
static unsigned walking;

/* ---- counts of MONITORING ---- */

#define GENERATIONS 3u
#define PLACES 1024u /* further paths share the place of no path */

struct gc_sums {
    uint32_t path;
    uint64_t count[GENERATIONS]; /* all 0: free */
    uint64_t total, self, max;   /* ticks; `self` is without counted calls */
    uint64_t collected, uncollectable;
};

static struct gc_sums sums[PLACES];
static struct {
    bool on;        /* a collection is open and is to be counted */
    uint64_t begin; /* in ticks */
    uint32_t path;
    /* The depth and the time of calls at the begin; see struck(). */
    uint32_t depth;
    const void *frame;
    uint64_t children;
} counted;

static bool is_free(const struct gc_sums *place) {
    return !place->count[0] && !place->count[1] && !place->count[2];
}

/* Returns the sums of a path. The first place has those of no path. */
static struct gc_sums *sums_of(uint32_t path) {
    uint32_t at = path * 0x9E3779B1u % (PLACES - 1);
    for (uint32_t i = 0; path && i < PLACES - 1; i++) {
        struct gc_sums *place = &sums[1 + (at + i) % (PLACES - 1)];
        if (is_free(place))
            place->path = path;
        if (place->path == path)
            return place;
    }
    return &sums[0];
}

static uint64_t ns_of(uint64_t ticks, double rate) {
    return (uint64_t)((double)ticks * rate);
}

void pinsight_garbage_write(void) {
    double rate = pinsight_clock_rate();
    for (struct gc_sums *place = sums; place < sums + PLACES; place++) {
        if (is_free(place))
            continue;
        pinsight_record_python_gc_counted(place->path, place->count[0], place->count[1],
                                          place->count[2], ns_of(place->total, rate),
                                          ns_of(place->self, rate), ns_of(place->max, rate),
                                          place->collected, place->uncollectable);
        *place = (struct gc_sums){.path = 0};
    }
}

/* Returns a number from the interpreter's data about a collection. */
static uint64_t number_of(PyObject *info, const char *key) {
    PyObject *value = PyDict_Check(info) ? PyDict_GetItemString(info, key) : NULL; /* borrowed */
    long long number = value && PyLong_Check(value) ? PyLong_AsLongLong(value) : 0;
    return number > 0 ? (uint64_t)number : 0;
}

static struct pinsight_python_thread *recorded_thread(void) {
    if (!watching || !pinsight_in_main_interpreter())
        return NULL;
    struct pinsight_python_thread *thread = pinsight_python_thread();
    return thread && !thread->is_out_of_range ? thread : NULL;
}

/* Returns the time that the innermost execution of the thread has spent in counted calls. A
 * collection happens in that execution. Calls of the collection are counted as calls of the
 * execution. The collection itself is a call, too, and no part of the execution's self time. */
static uint64_t *struck(struct pinsight_python_thread *thread) {
    return &thread->engine.core->counts.innermost->children;
}

static const void *frame_struck(const struct pinsight_python_thread *thread) {
    return thread->depth ? thread->entries[thread->depth - 1].frame : NULL;
}

static void begin(PyObject *info) {
    struct pinsight_python_thread *thread = recorded_thread();
    enum pinsight_mode mode = pinsight_domain_mode_now(&pinsight_python_domain);
    counted.on = thread && mode == PINSIGHT_MODE_MONITORING;
    if (counted.on) {
        counted.path = pinsight_path_here();
        counted.depth = thread->depth;
        counted.frame = frame_struck(thread);
        counted.children = *struck(thread);
        counted.begin = pinsight_clock_ticks();
    }
    if (!thread || mode != PINSIGHT_MODE_TRACING || !pinsight_record_python_gc_begin_enabled())
        return;
    if (thread->name_tries > 0)
        pinsight_python_thread_find_name(thread, false);
    uint32_t path = pinsight_path_here();
    pinsight_python_progress(thread);
    pinsight_record_python_gc_begin((uint8_t)number_of(info, "generation"), thread->number, path);
    pinsight_python_progress(thread);
    pinsight_add_bytes(thread, BEGIN_BYTES);
    collecting = thread;
}

/* Returns the time of a collection without its calls, and adds it to the calls of its function. */
static uint64_t self_of(struct pinsight_python_thread *thread, uint64_t ticks) {
    if (!thread || thread->depth != counted.depth || frame_struck(thread) != counted.frame)
        return 0; /* greenlets were switched in it, or everything was closed */
    uint64_t called = *struck(thread) - counted.children;
    uint64_t self = ticks > called ? ticks - called : 0;
    *struck(thread) += self;
    return self;
}

static void count(struct pinsight_python_thread *thread, PyObject *info) {
    uint64_t ticks = pinsight_clock_ticks() - counted.begin, generation;
    struct gc_sums *place = sums_of(counted.path);
    counted.on = false;
    generation = number_of(info, "generation");
    place->count[generation < GENERATIONS ? generation : GENERATIONS - 1]++;
    place->total += ticks;
    place->self += self_of(thread, ticks);
    place->max = ticks > place->max ? ticks : place->max;
    place->collected += number_of(info, "collected");
    place->uncollectable += number_of(info, "uncollectable");
}

static void end(PyObject *info) {
    struct pinsight_python_thread *thread = pinsight_thread_domain(pinsight_python_domain.slot);
    if (counted.on)
        count(thread, info);
    if (!thread || thread != collecting)
        return;
    collecting = NULL;
    if (pinsight_stuck())
        return;
    pinsight_python_progress(thread);
    pinsight_record_python_gc_end((uint8_t)number_of(info, "generation"), thread->number,
                                  number_of(info, "collected"), number_of(info, "uncollectable"));
    pinsight_python_progress(thread);
    pinsight_add_bytes(thread, END_BYTES);
}

/* Calls the program's list as the interpreter does with its own (invoke_gc_callback). The list may
 * change meanwhile. */
static void serve(PyObject *phase, PyObject *info) {
    PyObject *list = shown, *callable;
    Py_XINCREF(list);
    for (Py_ssize_t i = 0; list && (callable = pinsight_gc_callable(list, i)); i++) {
        PyObject *result = PyObject_CallFunctionObjArgs(callable, phase, info, NULL);
        if (!result)
            pinsight_gc_callable_raised(callable);
        Py_XDECREF(result);
        Py_DECREF(callable);
    }
    Py_XDECREF(list);
}

/* The program's callbacks are no part of the collection. */
static PyObject *collection(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    (void)self;
    if (count != 2)
        Py_RETURN_NONE;
    bool begins = PyUnicode_Check(arguments[0]) &&
                  PyUnicode_CompareWithASCIIString(arguments[0], "start") == 0;
    pinsight_serial_begin();
    if (!begins)
        end(arguments[1]);
    walking++;
    pinsight_serial_end();
    serve(arguments[0], arguments[1]);
    pinsight_serial_begin();
    walking--;
    if (begins)
        begin(arguments[1]);
    pinsight_serial_end();
    Py_RETURN_NONE;
}

static PyMethodDef collection_method = {
    "pinsight_collection", (PyCFunction)(void (*)(void))collection, METH_FASTCALL, NULL};

static Py_ssize_t place_of_ours(void) {
    for (Py_ssize_t i = 0; walked && i < PyList_GET_SIZE(walked); i++)
        if (PyList_GET_ITEM(walked, i) == ours)
            return i;
    return -1;
}

/* Returns whether only the interpreter, the module and PInsight have the list. Up to 3.9, the
 * interpreter also keeps a copy of the module's dict. */
static bool is_unshared(PyObject *module, PyObject *callbacks) {
    const PyModuleDef *definition = PyModule_GetDef(module);
    PyObject *copy = definition ? definition->m_base.m_copy : NULL;
    bool is_kept = copy && PyDict_GetItemString(copy, "callbacks") == callbacks;
    PyErr_Clear();
    return Py_REFCNT(callbacks) <= 3 + is_kept;
}

/* If the program has the list that the interpreter reads, our callable is added to it, because the
 * program may remove its own there. */
static bool put_in(PyObject *module) {
    PyObject *callbacks = PyObject_GetAttrString(module, "callbacks");
    bool alone = callbacks && is_unshared(module, callbacks);
    if (!callbacks || !PyList_CheckExact(callbacks))
        goto out;
    shown = alone ? PyList_GetSlice(callbacks, 0, PyList_GET_SIZE(callbacks)) : NULL;
    PyObject *first = Py_BuildValue("[O]", ours);
    if (first && (shown || !alone) &&
        PyList_SetSlice(callbacks, 0, alone ? PyList_GET_SIZE(callbacks) : 0, first) == 0) {
        walked = callbacks;
        Py_INCREF(walked);
        if (shown)
            PyObject_SetAttrString(module, "callbacks", shown);
    }
    Py_XDECREF(first);
    if (!walked)
        Py_CLEAR(shown);
out:
    Py_XDECREF(callbacks);
    return walked != NULL;
}

static void take_out(PyObject *module) {
    PyObject *attribute = PyObject_GetAttrString(module, "callbacks");
    bool is_bound = shown && attribute == shown;
    Py_XDECREF(attribute);
    PyErr_Clear();
    if (shown && Py_REFCNT(shown) > 1 + is_bound)
        return; /* the program may change the list later */
    if (walking)
        return;
    Py_ssize_t place = place_of_ours();
    if (place >= 0)
        PyList_SetSlice(walked, place, place + 1, shown);
    if (is_bound)
        PyObject_SetAttrString(module, "callbacks", walked);
    Py_CLEAR(shown);
    Py_CLEAR(walked);
}

void pinsight_garbage_watch(bool watch) {
    PyObject *type, *value, *traceback;
    bool there = place_of_ours() >= 0;
    watching = watch;
    if (there == watch)
        return;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *module = PyImport_ImportModule("gc");
    if (!ours)
        ours = PyCFunction_New(&collection_method, NULL);
    if (module && ours && watch && !walked)
        put_in(module);
    else if (module && walked && !watch)
        take_out(module);
    Py_XDECREF(module);
    PyErr_Restore(type, value, traceback);
}

void pinsight_garbage_fork_child(void) {
    collecting = NULL;
    counted.on = false;
    memset(sums, 0, sizeof sums);
}

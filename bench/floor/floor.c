/*
 * What tracing a Python call costs at the least, measured in the interpreter under test: callbacks
 * that do nothing, LTTng events of the same shape as PInsight's with fields that are at hand, and
 * the two together. It is a Python module for bench/ alone and is never installed.
 *
 *   noop, noop_call          callbacks for sys.monitoring (3.12 and later)
 *   use_payload(...)         the fields of the events that are emitted from here on
 *   events(kind, n)          n pairs of begin and end in a C loop
 *   listening(kind)          does a session listen to this kind of event?
 *   begin_/end_<kind>        callbacks that emit one event with the fields of use_payload()
 *   profile(kind or None)    a C profile function in this thread: "noop", or one that emits a kind
 *
 *   link(n)                  nanoseconds that n times asking for the Python call path take
 *   emit(kind, n)            the same of n pairs of events
 *   define(codes)            the same of the definitions of these code objects, each with its own
 *                            name and file, and of as many paths
 *
 * A kind is "registry", "inline", "c_registry" or "c_inline"; for events(), emit() and listening()
 * also "definitions" (code_info and path_info) or "paths" (path_info twice).
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <frameobject.h>

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "recorder.h"
#include "tracer/record/floor.h"

/* The fields of all events. Strings are copies that live as long as the process. */
static struct {
    char *qualname;
    char *filename;
    char *callee;
    int32_t lineno;
    uint64_t code_id;
    uint32_t tid;
} payload;

struct kind {
    const char *name;
    bool (*listening)(void);
    void (*begin)(void);
    void (*end)(void);
};

static void registry_begin(void) {
    if (pinsight_record_floor_begin_enabled())
        pinsight_record_floor_begin(payload.tid, (uint32_t)payload.code_id * 4,
                                    (uint16_t)payload.lineno);
}

static void registry_end(void) {
    if (pinsight_record_floor_end_enabled())
        pinsight_record_floor_end(payload.tid, (uint32_t)payload.code_id * 4);
}

static void inline_begin(void) {
    if (pinsight_record_floor_function_begin_enabled())
        pinsight_record_floor_function_begin(payload.qualname, payload.filename, payload.lineno,
                                             payload.code_id, 0, 0, payload.lineno);
}

static void inline_end(void) {
    if (pinsight_record_floor_function_end_enabled())
        pinsight_record_floor_function_end(payload.qualname, payload.filename, payload.lineno,
                                           payload.code_id, 0, 0);
}

static void c_registry_begin(void) {
    if (pinsight_record_floor_c_begin_enabled())
        pinsight_record_floor_c_begin(payload.tid, (uint32_t)payload.code_id * 4,
                                      (uint16_t)payload.lineno);
}

static void c_registry_end(void) {
    if (pinsight_record_floor_c_end_enabled())
        pinsight_record_floor_c_end(payload.tid, (uint32_t)payload.code_id * 4);
}

static void c_inline_begin(void) {
    if (pinsight_record_floor_c_call_begin_enabled())
        pinsight_record_floor_c_call_begin(payload.qualname, payload.callee, payload.filename,
                                           payload.lineno, payload.code_id, 0, 0);
}

static void c_inline_end(void) {
    if (pinsight_record_floor_c_call_end_enabled())
        pinsight_record_floor_c_call_end(payload.qualname, payload.callee, payload.filename,
                                         payload.lineno, payload.code_id, 0, 0);
}

static void code_info(void) {
    if (pinsight_record_floor_code_info_enabled())
        pinsight_record_floor_code_info((uint32_t)payload.code_id, payload.code_id,
                                        payload.qualname, payload.filename, payload.lineno, "?");
}

static void path_info(void) {
    if (pinsight_record_floor_path_info_enabled())
        pinsight_record_floor_path_info(payload.tid, (uint32_t)payload.code_id, 1, payload.lineno);
}

static const struct kind kinds[] = {
    {"registry", pinsight_record_floor_begin_enabled, registry_begin, registry_end},
    {"inline", pinsight_record_floor_function_begin_enabled, inline_begin, inline_end},
    {"c_registry", pinsight_record_floor_c_begin_enabled, c_registry_begin, c_registry_end},
    {"c_inline", pinsight_record_floor_c_call_begin_enabled, c_inline_begin, c_inline_end},
    {"definitions", pinsight_record_floor_code_info_enabled, code_info, path_info},
    {"paths", pinsight_record_floor_path_info_enabled, path_info, path_info},
};

/* The kind of that name, or NULL with ValueError set. */
static const struct kind *find_kind(const char *name) {
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    PyErr_Format(PyExc_ValueError, "unknown kind of event '%s'", name);
    return NULL;
}

static int replace(char **place, const char *text) {
    char *copy = strdup(text);

    if (copy == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    free(*place);
    *place = copy;
    return 0;
}

static PyObject *use_payload(PyObject *self, PyObject *arguments) {
    const char *qualname, *filename, *callee;
    int lineno;

    (void)self;
    if (!PyArg_ParseTuple(arguments, "sssi", &qualname, &filename, &callee, &lineno))
        return NULL;
    if (replace(&payload.qualname, qualname) < 0 || replace(&payload.filename, filename) < 0 ||
        replace(&payload.callee, callee) < 0)
        return NULL;
    payload.lineno = lineno;
    payload.code_id = 77;
    payload.tid = (uint32_t)syscall(SYS_gettid);
    Py_RETURN_NONE;
}

/* One loop a kind, so that the recording functions are inlined into it as they are in a callback.
 */
#define LOOP(number, kind_begin, kind_end)                                                         \
    case number:                                                                                   \
        for (long i = 0; i < n; i++) {                                                             \
            kind_begin();                                                                          \
            kind_end();                                                                            \
        }                                                                                          \
        break;

static void emit_all(const struct kind *kind, long n) {
    switch (kind - kinds) {
        LOOP(0, registry_begin, registry_end)
        LOOP(1, inline_begin, inline_end)
        LOOP(2, c_registry_begin, c_registry_end)
        LOOP(3, c_inline_begin, c_inline_end)
        LOOP(4, code_info, path_info)
        LOOP(5, path_info, path_info)
    }
}

/* The kind and the number of a call with (kind, n); NULL with an exception set. */
static const struct kind *kind_and_number(PyObject *arguments, long *n) {
    const char *name;

    return PyArg_ParseTuple(arguments, "sl", &name, n) ? find_kind(name) : NULL;
}

static PyObject *events(PyObject *self, PyObject *arguments) {
    long n;
    const struct kind *kind = kind_and_number(arguments, &n);

    (void)self;
    if (kind == NULL)
        return NULL;
    emit_all(kind, n);
    Py_RETURN_NONE;
}

static int64_t now(void) {
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* What two looks at the clock take; the least of several. */
static int64_t looks(void) {
    int64_t least = INT64_MAX;

    for (int i = 0; i < 20; i++) {
        int64_t start = now(), took = now() - start;
        least = took < least ? took : least;
    }
    return least;
}

static PyObject *emit(PyObject *self, PyObject *arguments) {
    long n;
    const struct kind *kind = kind_and_number(arguments, &n);
    int64_t own = looks(), start;

    (void)self;
    if (kind == NULL)
        return NULL;
    start = now();
    emit_all(kind, n);
    return PyLong_FromLongLong(now() - start - own);
}

/* Where the characters of a string of ASCII stand, without looking at them: who records them reads
 * them first. */
static const char *characters(PyObject *text) {
    return text == NULL ? "?" : (const char *)((PyASCIIObject *)text + 1);
}

static PyObject *define(PyObject *self, PyObject *codes) {
    struct {
        const char *name, *file;
        int line;
    } own[64];
    Py_ssize_t count = PyList_Check(codes) ? PyList_GET_SIZE(codes) : 0;
    int64_t clock, start;

    (void)self;
    if (count < 1 || count > (Py_ssize_t)(sizeof own / sizeof own[0])) {
        PyErr_SetString(PyExc_ValueError, "define() wants a list of 1 to 64 code objects");
        return NULL;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyCodeObject *code = (PyCodeObject *)PyList_GET_ITEM(codes, i);
#if PY_VERSION_HEX >= 0x030b0000
        own[i].name = characters(code->co_qualname);
#else
        own[i].name = characters(code->co_name);
#endif
        own[i].file = characters(code->co_filename);
        own[i].line = code->co_firstlineno;
    }
    clock = looks();
    start = now();
    for (Py_ssize_t i = 0; i < count; i++) {
        if (pinsight_record_floor_code_info_enabled())
            pinsight_record_floor_code_info((uint32_t)payload.code_id, payload.code_id, own[i].name,
                                            own[i].file, own[i].line, "?");
        path_info();
    }
    return PyLong_FromLongLong(now() - start - clock);
}

/* Asks as a domain does, see tracer/core/link.h. */
static PyObject *link_cost(PyObject *self, PyObject *number) {
    typedef uint32_t (*provider)(void);
    static _Atomic(provider) *place;
    provider ask;
    long n = PyLong_AsLong(number);
    int64_t own = looks(), start;

    (void)self;
    if (n == -1 && PyErr_Occurred())
        return NULL;
    if (place == NULL) {
        void *core = dlopen("libpinsight.so.0", RTLD_LAZY | RTLD_NOLOAD);
        place = core ? (_Atomic(provider) *)dlsym(core, "pinsight_link") : NULL;
    }
    ask = place ? atomic_load(place) : NULL;
    if (ask == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "nobody offers the Python call path");
        return NULL;
    }
    start = now();
    for (long i = 0; i < n; i++)
        ask();
    return PyLong_FromLongLong(now() - start - own);
}

static PyObject *listening(PyObject *self, PyObject *arguments) {
    const char *name;
    const struct kind *kind;

    (void)self;
    if (!PyArg_ParseTuple(arguments, "s", &name))
        return NULL;
    kind = find_kind(name);
    return kind == NULL ? NULL : PyBool_FromLong(kind->listening());
}

static PyObject *noop(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    (void)self;
    (void)arguments;
    (void)count;
    Py_RETURN_NONE;
}

#define CALLBACK(name, emit)                                                                       \
    static PyObject *name(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {          \
        (void)self;                                                                                \
        (void)arguments;                                                                           \
        (void)count;                                                                               \
        emit();                                                                                    \
        Py_RETURN_NONE;                                                                            \
    }

CALLBACK(begin_registry, registry_begin)
CALLBACK(end_registry, registry_end)
CALLBACK(begin_inline, inline_begin)
CALLBACK(end_inline, inline_end)
CALLBACK(begin_c_registry, c_registry_begin)
CALLBACK(end_c_registry, c_registry_end)
CALLBACK(begin_c_inline, c_inline_begin)
CALLBACK(end_c_inline, c_inline_end)

static int profile_noop(PyObject *object, PyFrameObject *frame, int what, PyObject *argument) {
    (void)object;
    (void)frame;
    (void)what;
    (void)argument;
    return 0;
}

/* Emits a Python call's pair of events, or a C call's, and nothing for the other sort of call. */
#define PROFILE(name, in, out, emit_begin, emit_end)                                               \
    static int name(PyObject *object, PyFrameObject *frame, int what, PyObject *argument) {        \
        (void)object;                                                                              \
        (void)frame;                                                                               \
        (void)argument;                                                                            \
        if (what == (in))                                                                          \
            emit_begin();                                                                          \
        else if (what == (out))                                                                    \
            emit_end();                                                                            \
        return 0;                                                                                  \
    }

PROFILE(profile_registry, PyTrace_CALL, PyTrace_RETURN, registry_begin, registry_end)
PROFILE(profile_inline, PyTrace_CALL, PyTrace_RETURN, inline_begin, inline_end)
PROFILE(profile_c_registry, PyTrace_C_CALL, PyTrace_C_RETURN, c_registry_begin, c_registry_end)
PROFILE(profile_c_inline, PyTrace_C_CALL, PyTrace_C_RETURN, c_inline_begin, c_inline_end)

static PyObject *profile(PyObject *self, PyObject *name) {
    static const Py_tracefunc functions[] = {profile_registry, profile_inline, profile_c_registry,
                                             profile_c_inline};
    const struct kind *kind;
    const char *text;

    (void)self;
    if (name == Py_None) {
        PyEval_SetProfile(NULL, NULL);
        Py_RETURN_NONE;
    }
    text = PyUnicode_AsUTF8(name);
    if (text == NULL)
        return NULL;
    if (strcmp(text, "noop") == 0) {
        PyEval_SetProfile(profile_noop, NULL);
        Py_RETURN_NONE;
    }
    kind = find_kind(text);
    if (kind == NULL)
        return NULL;
    PyEval_SetProfile(functions[kind - kinds], NULL);
    Py_RETURN_NONE;
}

#define FAST(name, function, text)                                                                 \
    { name, (PyCFunction)(void (*)(void))(function), METH_FASTCALL, text }

static PyMethodDef methods[] = {
    FAST("noop", noop, "A callback that does nothing."),
    FAST("begin_registry", begin_registry, "Emit begin."),
    FAST("end_registry", end_registry, "Emit end."),
    FAST("begin_inline", begin_inline, "Emit function_begin."),
    FAST("end_inline", end_inline, "Emit function_end."),
    FAST("begin_c_registry", begin_c_registry, "Emit c_begin."),
    FAST("end_c_registry", end_c_registry, "Emit c_end."),
    FAST("begin_c_inline", begin_c_inline, "Emit c_call_begin."),
    FAST("end_c_inline", end_c_inline, "Emit c_call_end."),
    {"use_payload", use_payload, METH_VARARGS, "use_payload(qualname, filename, callee, lineno)"},
    {"events", events, METH_VARARGS, "events(kind, n): emit n pairs."},
    {"emit", emit, METH_VARARGS, "emit(kind, n): nanoseconds that n pairs take."},
    {"define", define, METH_O, "define(codes): nanoseconds that their definitions take."},
    {"link", link_cost, METH_O, "link(n): nanoseconds that n call paths take."},
    {"listening", listening, METH_VARARGS, "listening(kind) -> bool"},
    {"profile", profile, METH_O, "profile(kind, 'noop' or None)"},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                        "pinsight_floor",
                                        "What tracing costs at the least.",
                                        -1,
                                        methods,
                                        NULL,
                                        NULL,
                                        NULL,
                                        NULL};

/* Python 3.8's PyMODINIT_FUNC does not export from a library that is built with hidden visibility.
 */
__attribute__((visibility("default"))) PyMODINIT_FUNC PyInit_pinsight_floor(void);

PyMODINIT_FUNC PyInit_pinsight_floor(void) {
    FLOOR_RECORDER(floor);
    return PyModule_Create(&definition);
}

/* The extension module _pinsight_python, and the function that the preloaded shim calls. */
#include "format/choice.h"
#include "tracer/core/dump.h"
#include "tracer/core/log.h"
#include "tracer/core/mode.h"
#include "tracer/python/attach.h"
#include "tracer/python/balance.h"
#include "tracer/python/cpython/audit.h"
#include "tracer/python/domain.h"
#include "tracer/python/versions.h"

#include <string.h>

static PyObject *py_activate(PyObject *self, PyObject *arguments, PyObject *keywords) {
    static char *names_of[] = {"events", "names", NULL};
    const char *events = NULL, *names = NULL;
    (void)self;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|zz:activate", names_of, &events,
                                     &names))
        return NULL;
    if (pinsight_python_activate(events, names) != 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *py_deactivate(PyObject *self, PyObject *unused) {
    (void)self;
    (void)unused;
    if (!pinsight_in_main_interpreter()) {
        PyErr_SetString(PyExc_RuntimeError,
                        "deactivate() was called in a sub-interpreter: call it in the main one");
        return NULL;
    }
    pinsight_python_deactivate();
    Py_RETURN_NONE;
}

static PyObject *no_domain(const char *name) {
    return PyErr_Format(PyExc_ValueError, "there is no domain '%s' in this process", name);
}

/* Reports a refusal that the program cannot influence. The program continues. */
static void report_refused(struct pinsight_domain *domain) {
    static struct pinsight_log_once once[PINSIGHT_DOMAINS_MAX];
    char why[128];
    pinsight_log_once(&once[domain->slot], "%s stays in %s%s", domain->name,
                      pinsight_mode_name(pinsight_domain_mode(domain)),
                      pinsight_domain_refusal(domain, why, sizeof why));
}

static PyObject *py_set_mode(PyObject *self, PyObject *arguments) {
    const char *name, *text;
    enum pinsight_mode mode;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "ss:set_mode", &name, &text))
        return NULL;
    struct pinsight_domain *domain = pinsight_domain_find(name);
    if (!domain)
        return no_domain(name);
    if (pinsight_mode_parse(text, &mode) != 0)
        return PyErr_Format(
            PyExc_ValueError,
            "'%s' is not a mode (OFF, STANDBY, MONITORING or TRACING); did you mean %s?", text,
            pinsight_mode_nearest(text));
    if (pinsight_domain_set_mode(domain, mode, "api") != 0 && !pinsight_process.silent)
        report_refused(domain);
    Py_RETURN_NONE;
}

static PyObject *py_get_mode(PyObject *self, PyObject *name) {
    (void)self;
    const char *text = PyUnicode_AsUTF8(name);
    if (!text)
        return NULL;
    struct pinsight_domain *domain = pinsight_domain_find(text);
    if (!domain)
        return no_domain(text);
    bool off = domain == &pinsight_python_domain && !pinsight_python.active;
    return PyUnicode_FromString(
        pinsight_mode_name(off ? PINSIGHT_MODE_OFF : pinsight_domain_mode(domain)));
}

static PyObject *py_is_active(PyObject *self, PyObject *unused) {
    (void)self;
    (void)unused;
    return PyBool_FromLong(pinsight_python.active);
}

static PyObject *py_listening(PyObject *self, PyObject *unused) {
    (void)self;
    (void)unused;
    return PyBool_FromLong(pinsight_python_listening());
}

/* This may be the thread's first event, or its only one if no events of Python are on. */
static void look_for_name(void) {
    struct pinsight_python_thread *thread =
        pinsight_python.active ? pinsight_python_thread() : NULL;
    if (thread && thread->name_tries > 0)
        pinsight_python_thread_find_name(thread, false);
}

static PyObject *with_name(PyObject *name, void (*record)(const char *)) {
    const char *text = PyUnicode_AsUTF8(name);
    if (!text)
        return NULL;
    look_for_name();
    record(text);
    Py_RETURN_NONE;
}

static PyObject *py_region_begin(PyObject *self, PyObject *name) {
    (void)self;
    return with_name(name, pinsight_region_begin);
}

static PyObject *py_region_end(PyObject *self, PyObject *name) {
    (void)self;
    return with_name(name, pinsight_region_end);
}

static PyObject *py_mark(PyObject *self, PyObject *name) {
    (void)self;
    return with_name(name, pinsight_mark);
}

/* mark_value(name, value) */
static PyObject *py_mark_value(PyObject *self, PyObject *arguments) {
    PyObject *name;
    double value;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "Ud:mark_value", &name, &value))
        return NULL;
    const char *text = PyUnicode_AsUTF8(name);
    if (!text)
        return NULL;
    look_for_name();
    pinsight_mark_value(text, value);
    Py_RETURN_NONE;
}

/* snapshot(output): returns "requested", "pending" or "no ring". */
static PyObject *py_snapshot(PyObject *self, PyObject *output) {
    static const char *const answers[] = {[PINSIGHT_DUMP_REQUESTED] = "requested",
                                          [PINSIGHT_DUMP_PENDING] = "pending",
                                          [PINSIGHT_DUMP_NO_RING] = "no ring"};
    (void)self;
    const char *text = PyUnicode_AsUTF8(output);
    return text ? PyUnicode_FromString(answers[pinsight_dump_request(text)]) : NULL;
}

static PyObject *py_recorder(PyObject *self, PyObject *unused) {
    (void)self;
    (void)unused;
    return PyUnicode_FromString(pinsight_recorder_name());
}

/* attach(output, config, own, order, ring): returns None or a text about the failure. Several
 * threads may be asked, some of them late. An order is carried out once. */
static PyObject *py_attach(PyObject *self, PyObject *arguments) {
    const char *output, *config, *ring;
    static unsigned long long last_order;
    unsigned long long order;
    Py_ssize_t own;
    char error[2048];
    (void)self;
    if (!PyArg_ParseTuple(arguments, "ssnKs:attach", &output, &config, &own, &order, &ring))
        return NULL;
    if (order == last_order)
        Py_RETURN_NONE;
    last_order = order;
    if (pinsight_python_attach(output, ring, config, (size_t)own, error, sizeof error))
        Py_RETURN_NONE;
    return PyUnicode_DecodeUTF8(error, (Py_ssize_t)strlen(error), "replace");
}

static PyObject *py_detach(PyObject *self, PyObject *unused) {
    (void)self;
    (void)unused;
    pinsight_python_detach();
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"activate", (PyCFunction)(void (*)(void))py_activate, METH_VARARGS | METH_KEYWORDS,
     "activate(events=None, names=None): start to observe this process"},
    {"deactivate", py_deactivate, METH_NOARGS, "stop to observe this process"},
    {"attach", py_attach, METH_VARARGS,
     "attach(output, config, own, order, ring): begin to record this process while it runs"},
    {"detach", py_detach, METH_NOARGS, "end what attach() began"},
    {"set_mode", py_set_mode, METH_VARARGS, "set_mode(domain, mode): change a domain's mode"},
    {"get_mode", py_get_mode, METH_O, "get_mode(domain): the domain's mode"},
    {"is_active", py_is_active, METH_NOARGS, "whether this process is observed"},
    {"snapshot", py_snapshot, METH_O, "snapshot(output): copy the flight recorder's content"},
    {"recorder", py_recorder, METH_NOARGS,
     "the name of the recorder that the environment asks for"},
    {"listening", py_listening, METH_NOARGS, "whether a session listens"},
    {"region_begin", py_region_begin, METH_O, "a region of that name begins"},
    {"region_end", py_region_end, METH_O, "a region of that name ends"},
    {"mark", py_mark, METH_O, "record a moment of that name"},
    {"mark_value", py_mark_value, METH_VARARGS, "mark_value(name, value): record a value"},
    {NULL, NULL, 0, NULL},
};

/* Each interpreter may load the module, also one with its own GIL, because the module has no
 * objects. */
static PyModuleDef_Slot slots[] = {
#if PY_VERSION_HEX >= 0x030c0000
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
#endif
#if !PINSIGHT_HAS_GIL
    {Py_mod_gil, Py_MOD_GIL_NOT_USED}, /* otherwise the import would switch the GIL on */
#endif
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "_pinsight_python", .m_doc = "PInsight's Python domain.",
    .m_size = 0,           .m_methods = methods,         .m_slots = slots,
};

/* PyMODINIT_FUNC does not export in every version if visibility is hidden. */
__attribute__((visibility("default"))) PyObject *PyInit__pinsight_python(void);

PyObject *PyInit__pinsight_python(void) {
    pinsight_python_note_stderr();
    pinsight_domain_register(&pinsight_python_domain); /* can be named before it is active */
    return PyModuleDef_Init(&definition);
}

/*
 * Called by the preloaded shim from its audit hook, when the interpreter is about to run the
 * program, with the GIL. `how` is the audit event. Returns 0 if the process is now observed.
 */
__attribute__((visibility("default"))) int pinsight_python_start(const char *how, void *hook,
                                                                 void *user_data);

int pinsight_python_start(const char *how, void *hook, void *user_data) {
    (void)how;
    if (hook)
        pinsight_audit_unhook(hook, user_data);
    if (pinsight_python.active)
        return 0;
    if (pinsight_python_activate(NULL, NULL) == 0)
        return 0;

    static struct pinsight_log_once once = PINSIGHT_LOG_ONCE_INIT;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *text = value ? PyObject_Str(value) : NULL;
    const char *reason = text ? PyUnicode_AsUTF8(text) : NULL;
    pinsight_log_once(&once, "Python is not traced in this process: %s",
                      reason ? reason : "it could not start");
    Py_XDECREF(text);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    PyErr_Clear();
    return -1;
}

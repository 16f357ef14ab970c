/* Selection of processes; see process_choice.h. */
#include "tracer/python/process_choice.h"

#include "base/program.h"
#include "describe/python_kinds.h"
#include "tracer/core/info.h"
#include "tracer/core/resolve.h"
#include "tracer/python/callable_name.h"
#include "tracer/python/cpython/method_table.h"
#include "tracer/python/domain.h"
#include "tracer/python/extension_modules.h"
#include "tracer/python/mode.h"
#include "tracer/python/modules.h"
#include "tracer/python/text.h"

#include <stdlib.h>
#include <string.h>

static bool is_chosen;   /* the configuration does not select every process */
static bool is_excluded; /* this process is not selected */
static char first_title[256];
static PyObject *last_process; /* the Process object of the last look, not owned */

/* ---- names and numbers ---- */

/* Returns multiprocessing's object for this process, borrowed, or NULL. */
static PyObject *process_object(void) {
    PyObject *module = pinsight_module_there("multiprocessing.process");
    return module && PyModule_Check(module)
               ? PyDict_GetItemString(PyModule_GetDict(module), "_current_process")
               : NULL;
}

/* Returns the number of a Process object among its parent's, or -1: the main process has none. */
static int64_t number_of(PyObject *process) {
    PyObject *identity = process ? pinsight_own_attribute(process, "_identity") : NULL;
    int64_t number = -1;
    if (identity && PyTuple_Check(identity) && PyTuple_GET_SIZE(identity) > 0) {
        PyObject *last = PyTuple_GET_ITEM(identity, PyTuple_GET_SIZE(identity) - 1);
        number = PyLong_CheckExact(last) ? PyLong_AsLong(last) : -1;
        PyErr_Clear();
    }
    Py_XDECREF(identity);
    return number;
}

/* Returns whether multiprocessing has started the program of this process: a worker whose Process
 * object is not there yet, or a helper of multiprocessing, which never has one. */
static bool is_of_multiprocessing(void) {
    char words[1024];
    pinsight_program_words(words, sizeof words);
    return strstr(words, "--multiprocessing-fork") ||
           strstr(words, "from multiprocessing.forkserver import") ||
           strstr(words, "from multiprocessing.resource_tracker import");
}

/* Writes the title that the program has set, or "". Like a command line, it has apostrophes around
 * it if it has blanks. */
static const char *find_title(char *title, size_t room) {
    pinsight_info_title(title, room);
    if (strcmp(title, first_title) == 0)
        return "";
    size_t length = strlen(title);
    if (length < 2 || title[0] != '\'' || title[length - 1] != '\'')
        return title;
    title[length - 1] = '\0';
    return title + 1;
}

static bool find_excluded(void) {
    PyObject *process = process_object();
    PyObject *name = process ? pinsight_own_attribute(process, "_name") : NULL;
    char *text = name && PyUnicode_Check(name) ? pinsight_utf8_copy(name) : NULL;
    char title[sizeof first_title];
    int64_t number = number_of(process);
    Py_XDECREF(name);
    last_process = process;
    bool is_worker = number >= 0, is_unnamed = !is_worker && is_of_multiprocessing();
    const char *names[] = {is_unnamed ? ""
                           : text     ? text
                                      : "MainProcess",
                           find_title(title, sizeof title), NULL};
    bool selected = pinsight_resolve_process(&pinsight_python_domain, PINSIGHT_PYTHON_PUNIT_PROCESS,
                                             is_worker    ? number
                                             : is_unnamed ? -1
                                                          : 0,
                                             names);
    free(text);
    return !selected;
}

/* ---- changes ---- */

static void observe(void);

static void read_choice(void) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    is_chosen =
        pinsight_resolve_some_processes(&pinsight_python_domain, PINSIGHT_PYTHON_PUNIT_PROCESS);
    if (is_chosen)
        observe();
    is_excluded = is_chosen && find_excluded();
    PyErr_Restore(type, value, traceback);
}

void pinsight_process_choice_read(void) {
    read_choice();
}

/* Called when the process may have got another name. */
static void look(void) {
    if (!is_chosen || !pinsight_python.active || !pinsight_in_main_interpreter())
        return;
    bool before = is_excluded;
    read_choice();
    if (is_excluded != before)
        pinsight_python_place_threads();
}

bool pinsight_process_is_excluded(void) {
    return is_excluded;
}

bool pinsight_process_is_chosen(void) {
    return is_chosen;
}

/* ---- the functions that are observed ---- */

static PyCFunction own_native_id, own_title;

/* multiprocessing calls this function of _thread after it has set the Process object. Any other new
 * thread calls it, too. */
static PyObject *native_id(PyObject *self, PyObject *unused) {
    if (is_chosen && process_object() != last_process) {
        look();
        PyErr_Clear();
    }
    return own_native_id(self, unused);
}

static PyObject *set_title(PyObject *self, PyObject *arguments, PyObject *keywords) {
    PyObject *result =
        ((PyCFunctionWithKeywords)(void (*)(void))own_title)(self, arguments, keywords);
    if (result)
        look();
    return result;
}

static void redirect(PyObject *module, const char *name, int flags, PyCFunction to,
                     PyCFunction *own) {
    PyObject *function = *own ? NULL : PyDict_GetItemString(PyModule_GetDict(module), name);
    if (function && PyCFunction_Check(function) &&
        !pinsight_function_redirect(function, flags, to, own))
        *own = NULL;
}

static void look_at_module(PyObject *module) {
    PyObject *name =
        PyModule_Check(module) ? PyDict_GetItemString(PyModule_GetDict(module), "__name__") : NULL;
    if (name && PyUnicode_Check(name) &&
        (PyUnicode_CompareWithASCIIString(name, "setproctitle._setproctitle") == 0 ||
         PyUnicode_CompareWithASCIIString(name, "setproctitle") == 0))
        redirect(module, "setproctitle", METH_VARARGS | METH_KEYWORDS,
                 (PyCFunction)(void (*)(void))set_title, &own_title);
}

static void observe(void) {
    PyObject *thread = pinsight_module_there("_thread");
    PyObject *title = pinsight_module_there("setproctitle._setproctitle");
    if (thread && PyModule_Check(thread))
        redirect(thread, "get_native_id", METH_NOARGS, native_id, &own_native_id);
    if (title)
        look_at_module(title);
    pinsight_extension_modules_listen(look_at_module);
    PyErr_Clear();
}

void pinsight_process_choice_start(void) {
    if (!*first_title)
        pinsight_info_title(first_title, sizeof first_title);
}

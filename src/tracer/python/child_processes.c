/* Processes that Python starts; see child_processes.h. */
#include "tracer/python/child_processes.h"

#include "tracer/core/info.h"
#include "tracer/python/callable_name.h"
#include "tracer/python/cpython/method_table.h"
#include "tracer/python/domain.h"
#include "tracer/python/extension_modules.h"
#include "tracer/python/fork_server.h"
#include "tracer/python/modules.h"
#include "tracer/python/path.h"
#include "tracer/python/text.h"
#include "tracer/python/thread.h"
#include "tracer/record/core_types.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* The functions. Each has one of four calling conventions, by the version of CPython. */
enum { FORK, FORKPTY, SPAWN, SPAWNP, FORK_EXEC, WAIT, WAIT3, WAIT4, WAITPID, WAITID, FUNCTIONS };

static PyCFunction own[FUNCTIONS];

/* Returns item `index` of a tuple or a sequence of a struct as a number, or -1. */
static long item(PyObject *tuple, Py_ssize_t index) {
    PyObject *of = PyTuple_Check(tuple) && index < PyTuple_GET_SIZE(tuple)
                       ? PyTuple_GET_ITEM(tuple, index)
                       : NULL;
    long value = of && PyLong_CheckExact(of) ? PyLong_AsLong(of) : -1;
    if (value == -1)
        PyErr_Clear();
    return value;
}

static void started(PyObject *result) {
    long child = PyLong_CheckExact(result) ? PyLong_AsLong(result) : item(result, 0);
    PyErr_Clear();
    if (child > 0) /* it is 0 in the child */
        pinsight_info_process_start((int32_t)child, pinsight_path_here());
}

static void waited(PyObject *result) {
    long child = item(result, 0), status = item(result, 1);
    if (child <= 0)
        return;
    if (WIFEXITED(status))
        pinsight_info_process_end((int32_t)child, WEXITSTATUS(status));
    else if (WIFSIGNALED(status))
        pinsight_info_process_end((int32_t)child, -WTERMSIG(status));
}

/* waitid() has si_pid, si_uid, si_signo, si_status and si_code. */
static void waited_id(PyObject *result) {
    long child = item(result, 0), status = item(result, 3), code = item(result, 4);
    if (child > 0 && (code == CLD_EXITED || code == CLD_KILLED || code == CLD_DUMPED))
        pinsight_info_process_end((int32_t)child, (int32_t)(code == CLD_EXITED ? status : -status));
}

/* Looks at a result, and passes it on. Does nothing in another interpreter, which may have its own
 * GIL. */
static PyObject *look(int function, PyObject *result) {
    if (!result || !pinsight_python.active || !pinsight_in_main_interpreter())
        return result;
    if (function == FORK || function == FORK_EXEC) /* a fork server starts so, and its children */
        pinsight_fork_server_follow();
    if (function <= FORK_EXEC)
        started(result);
    else if (function == WAITID)
        waited_id(result);
    else
        waited(result);
    return result;
}

/* Defines the functions that stand in for one, `number`, in each convention. */
#define STAND_INS(number, name)                                                                    \
    static PyObject *name##_plain(PyObject *self, PyObject *arguments) {                           \
        return look(number, own[number](self, arguments));                                         \
    }                                                                                              \
    static PyObject *name##_fast(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {   \
        return look(number,                                                                        \
                    ((_PyCFunctionFast)(void (*)(void))own[number])(self, arguments, count));      \
    }                                                                                              \
    static PyObject *name##_keywords(PyObject *self, PyObject *const *arguments, Py_ssize_t count, \
                                     PyObject *names) {                                            \
        return look(number, ((_PyCFunctionFastWithKeywords)(void (*)(void))own[number])(           \
                                self, arguments, count, names));                                   \
    }
STAND_INS(FORK, fork)
STAND_INS(FORKPTY, forkpty)
STAND_INS(SPAWN, posix_spawn)
STAND_INS(SPAWNP, posix_spawnp)
STAND_INS(FORK_EXEC, fork_exec)
STAND_INS(WAIT, wait)
STAND_INS(WAIT3, wait3)
STAND_INS(WAIT4, wait4)
STAND_INS(WAITPID, waitpid)
STAND_INS(WAITID, waitid)

#define ROW(number, name)                                                                          \
    [number] = {#name, name##_plain, (PyCFunction)(void (*)(void))name##_fast,                     \
                (PyCFunction)(void (*)(void))name##_keywords}
static const struct {
    const char *name;
    PyCFunction plain, fast, keywords;
} stand_ins[FUNCTIONS] = {
    ROW(FORK, fork),           ROW(FORKPTY, forkpty),     ROW(SPAWN, posix_spawn),
    ROW(SPAWNP, posix_spawnp), ROW(FORK_EXEC, fork_exec), ROW(WAIT, wait),
    ROW(WAIT3, wait3),         ROW(WAIT4, wait4),         ROW(WAITPID, waitpid),
    ROW(WAITID, waitid),
};

static void redirect(PyObject *module, int function) {
    PyObject *of = own[function]
                       ? NULL
                       : PyDict_GetItemString(PyModule_GetDict(module), stand_ins[function].name);
    if (!of || !PyCFunction_Check(of))
        return;
    int flags = PyCFunction_GET_FLAGS(of);
    PyCFunction to = flags == METH_NOARGS || flags == METH_VARARGS ? stand_ins[function].plain
                     : flags == METH_FASTCALL                      ? stand_ins[function].fast
                     : flags == (METH_FASTCALL | METH_KEYWORDS)    ? stand_ins[function].keywords
                                                                   : NULL;
    if (to && !pinsight_function_redirect(of, flags, to, &own[function]))
        own[function] = NULL;
}

static void look_at_module(PyObject *module) {
    if (!PyModule_Check(module))
        return;
    PyObject *name = PyDict_GetItemString(PyModule_GetDict(module), "__name__");
    if (name && PyUnicode_Check(name) &&
        PyUnicode_CompareWithASCIIString(name, "_posixsubprocess") == 0)
        redirect(module, FORK_EXEC);
}

static char first_title[256]; /* the command line at the start, cut off */

void pinsight_child_processes_start(void) {
    PyObject *posix = pinsight_module_there("posix");
    PyObject *subprocess = pinsight_module_there("_posixsubprocess");
    if (!*first_title)
        pinsight_info_title(first_title, sizeof first_title);
    for (int function = 0; posix && function < FUNCTIONS; function++)
        redirect(posix, function);
    if (subprocess)
        look_at_module(subprocess);
    pinsight_extension_modules_listen(look_at_module);
    pinsight_fork_server_follow();
}

static void name_of_multiprocessing(void) {
    PyObject *module = pinsight_module_there("multiprocessing.process");
    PyObject *process = module && PyModule_Check(module)
                            ? PyDict_GetItemString(PyModule_GetDict(module), "_current_process")
                            : NULL;
    PyObject *name = process ? pinsight_own_attribute(process, "_name") : NULL;
    if (name && PyUnicode_Check(name) &&
        PyUnicode_CompareWithASCIIString(name, "MainProcess") != 0) {
        char *text = pinsight_utf8_copy(name);
        if (text)
            pinsight_info_process_name(text, PINSIGHT_CORE_PROCESS_NAME_SOURCE_MULTIPROCESSING);
        free(text);
    }
    Py_XDECREF(name);
}

void pinsight_child_processes_name(void) {
    PyObject *type, *value, *traceback;
    char title[sizeof first_title];
    PyErr_Fetch(&type, &value, &traceback);
    name_of_multiprocessing();
    pinsight_info_title(title, sizeof title);
    if (*title && *first_title && strcmp(title, first_title) != 0)
        pinsight_info_process_name(title, PINSIGHT_CORE_PROCESS_NAME_SOURCE_TITLE);
    PyErr_Restore(type, value, traceback);
}

/* Children of a fork server; see fork_server.h. */
#include "tracer/python/fork_server.h"

#include "tracer/core/info.h"
#include "tracer/python/cpython/method_table.h"
#include "tracer/python/cpython/open_frames.h"
#include "tracer/python/domain.h"
#include "tracer/python/modules.h"
#include "tracer/python/path.h"

#include <string.h>

/* The server's answers are one number each. */
typedef int64_t answer;

enum { READ, READINTO, FUNCTIONS };

typedef PyObject *(*function)(PyObject *self, PyObject *const *arguments, Py_ssize_t count);

static PyCFunction own[FUNCTIONS];

static bool is_of(const struct pinsight_open_frame *frame, const char *module, const char *name) {
    PyObject *there = pinsight_module_there(module);
    return there && PyModule_Check(there) && frame->globals == PyModule_GetDict(there) &&
           PyUnicode_CompareWithASCIIString(frame->code->co_name, name) == 0;
}

/* Returns whether multiprocessing reads the number of a new process now. It reads exit statuses in
 * the same way. */
static bool is_start(void) {
    struct pinsight_open_frame frames[2];
    return pinsight_open_frames(frames, 2) > 2 &&
           is_of(&frames[0], "multiprocessing.forkserver", "read_signed") &&
           is_of(&frames[1], "multiprocessing.popen_forkserver", "_launch");
}

static void answered(const void *bytes) {
    answer pid;
    memcpy(&pid, bytes, sizeof pid);
    if (pid > 0 && pid <= INT32_MAX && is_start())
        pinsight_info_process_start((int32_t)pid, pinsight_path_here());
}

static PyObject *read_here(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    PyObject *result = ((function)(void (*)(void))own[READ])(self, arguments, count);
    if (result && PyBytes_CheckExact(result) && PyBytes_GET_SIZE(result) == sizeof(answer) &&
        pinsight_python.active && pinsight_in_main_interpreter())
        answered(PyBytes_AS_STRING(result));
    return result;
}

static PyObject *readinto_here(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    Py_buffer buffer;
    PyObject *result = ((function)(void (*)(void))own[READINTO])(self, arguments, count);
    if (!result || count != 2 || !pinsight_python.active || !pinsight_in_main_interpreter() ||
        !PyLong_CheckExact(result) || PyLong_AsLong(result) != sizeof(answer))
        return result;
    if (PyObject_GetBuffer(arguments[1], &buffer, PyBUF_SIMPLE) == 0) {
        if (buffer.len == sizeof(answer))
            answered(buffer.buf);
        PyBuffer_Release(&buffer);
    }
    PyErr_Clear();
    return result;
}

static void redirect(PyObject *module, const char *name, int number, function to) {
    PyObject *of = PyDict_GetItemString(PyModule_GetDict(module), name);
    if (of && PyCFunction_Check(of) && PyCFunction_GET_FLAGS(of) == METH_FASTCALL &&
        !pinsight_function_redirect(of, METH_FASTCALL, (PyCFunction)(void (*)(void))to,
                                    &own[number]))
        own[number] = NULL;
}

void pinsight_fork_server_follow(void) {
    static bool done;
    PyObject *posix = done || !pinsight_module_there("multiprocessing.forkserver")
                          ? NULL
                          : pinsight_module_there("posix");
    if (!posix || !PyModule_Check(posix))
        return;
    done = true;
    redirect(posix, "read", READ, read_here);
    redirect(posix, "readinto", READINTO, readinto_here);
}

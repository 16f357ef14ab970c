/* Functions that are passed to another interpreter; see shared_functions.h. */
#define Py_BUILD_CORE 1
#include "tracer/python/versions.h"

#if PY_VERSION_HEX >= 0x030e0000

#include <internal/pycore_function.h>

#include "tracer/python/code.h"
#include "tracer/python/cpython/method_table.h"
#include "tracer/python/cpython/shared_functions.h"
#include "tracer/python/extension_modules.h"
#include "tracer/python/modules.h"

#include <string.h>

/* ---- copies without a code extra ---- */

/* Returns whether a code object has PInsight's code extra alone. With another library's, the
 * interpreter refuses it without PInsight, too. */
static bool is_marked(PyCodeObject *code) {
    if (!pinsight_code_own(code))
        return false;
    for (Py_ssize_t i = 0; i < MAX_CO_EXTRA_USERS; i++)
        if (i != pinsight_code_extra_index && pinsight_code_extra(code, i))
            return false;
    return true;
}

/* The constructor does not know which variables are hidden, as those of comprehensions in a module
 * are. Returns whether the copy got their kinds. */
static bool copy_kinds(PyCodeObject *copy, PyCodeObject *code) {
    if (PyObject_RichCompareBool(copy->co_localsplusnames, code->co_localsplusnames, Py_EQ) != 1)
        return false;
    Py_SETREF(copy->co_localspluskinds, Py_NewRef(code->co_localspluskinds));
    return true;
}

/* Copies a code object by its constructor, which raises no audit event, unlike code.replace().
 * Returns NULL, possibly with an exception, if that is impossible. */
static PyObject *copy_code(PyCodeObject *code) {
    PyObject *bytes = PyCode_GetCode(code), *variables = PyCode_GetVarnames(code);
    PyObject *free = PyCode_GetFreevars(code), *cells = PyCode_GetCellvars(code);
    PyCodeObject *made = NULL;
    if (bytes && variables && free && cells)
        made = PyUnstable_Code_NewWithPosOnlyArgs(
            code->co_argcount, code->co_posonlyargcount, code->co_kwonlyargcount, code->co_nlocals,
            code->co_stacksize, code->co_flags, bytes, code->co_consts, code->co_names, variables,
            free, cells, code->co_filename, code->co_name, code->co_qualname, code->co_firstlineno,
            code->co_linetable, code->co_exceptiontable);
    Py_XDECREF(bytes);
    Py_XDECREF(variables);
    Py_XDECREF(free);
    Py_XDECREF(cells);
    if (made && !copy_kinds(made, code))
        Py_CLEAR(made);
    return (PyObject *)made;
}

static PyObject *copy_function(PyFunctionObject *of) {
    PyObject *code = copy_code((PyCodeObject *)of->func_code), *made = NULL;
    if (code)
        made = PyFunction_NewWithQualName(code, of->func_globals, of->func_qualname);
    Py_XDECREF(code);
    bool whole =
        made && (!of->func_defaults || PyFunction_SetDefaults(made, of->func_defaults) == 0) &&
        (!of->func_kwdefaults || PyFunction_SetKwDefaults(made, of->func_kwdefaults) == 0) &&
        (!of->func_closure || PyFunction_SetClosure(made, of->func_closure) == 0);
    if (!whole)
        Py_CLEAR(made);
    return made;
}

/* What stands for an object. With `or_pickled`, the interpreter passes a function that has
 * surroundings by pickle, which wants the function itself: then only one without them is copied.
 * Returns a new reference, to the object itself if nothing stands for it. */
static PyObject *unmarked(PyObject *object, bool or_pickled);

static PyObject *unmarked_function(PyObject *function, bool or_pickled) {
    if (!is_marked((PyCodeObject *)PyFunction_GET_CODE(function)))
        return NULL;
    PyObject *copy = copy_function((PyFunctionObject *)function);
    if (copy && or_pickled && _PyFunction_VerifyStateless(PyThreadState_Get(), copy) != 0)
        Py_CLEAR(copy);
    return copy;
}

/* Tuples are passed item by item. */
static PyObject *unmarked_tuple(PyObject *tuple, bool or_pickled) {
    PyObject *copy = NULL;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); i++) {
        PyObject *item = PyTuple_GET_ITEM(tuple, i), *other = unmarked(item, or_pickled);
        if (other != item && !copy && (copy = PyTuple_New(PyTuple_GET_SIZE(tuple))))
            for (Py_ssize_t k = 0; k < i; k++)
                PyTuple_SET_ITEM(copy, k, Py_NewRef(PyTuple_GET_ITEM(tuple, k)));
        if (copy)
            PyTuple_SET_ITEM(copy, i, other);
        else
            Py_DECREF(other);
    }
    return copy;
}

static PyObject *unmarked(PyObject *object, bool or_pickled) {
    PyObject *copy = NULL;
    if (PyFunction_Check(object))
        copy = unmarked_function(object, or_pickled);
    else if (PyCode_Check(object) && is_marked((PyCodeObject *)object))
        copy = copy_code((PyCodeObject *)object);
    else if (PyTuple_CheckExact(object) && Py_EnterRecursiveCall("") == 0) {
        copy = unmarked_tuple(object, or_pickled);
        Py_LeaveRecursiveCall();
    }
    if (copy)
        return copy;
    PyErr_Clear();
    return Py_NewRef(object);
}

/* ---- the functions that pass objects ---- */

/* `or_pickled` as above. The last one is of CPython's own tests. */
static struct passing {
    const char *module, *name;
    bool or_pickled;
    PyCFunction own;
} all[] = {
    {"_interpreters", "call", true, NULL},
    {"_interpreters", "exec", false, NULL},
    {"_interpreters", "run_func", false, NULL},
    {"_interpqueues", "put", true, NULL},
    {"_interpchannels", "send", true, NULL},
    {"_testinternalcapi", "verify_stateless_code", false, NULL},
};

static PyObject *pass_tuple(const struct passing *passing, PyObject *self, PyObject *arguments,
                            PyObject *keywords) {
    PyObject *given = unmarked(arguments, passing->or_pickled), *key, *value;
    PyObject *named = keywords ? PyDict_Copy(keywords) : NULL, *result = NULL;
    Py_ssize_t at = 0;
    while (named && PyDict_Next(keywords, &at, &key, &value)) {
        PyObject *other = unmarked(value, passing->or_pickled);
        if (other != value && PyDict_SetItem(named, key, other) != 0)
            PyErr_Clear();
        Py_DECREF(other);
    }
    if (named || !keywords)
        result = ((PyCFunctionWithKeywords)(void (*)(void))passing->own)(self, given, named);
    Py_DECREF(given);
    Py_XDECREF(named);
    return result;
}

static PyObject *pass_array(const struct passing *passing, PyObject *self,
                            PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    enum { MOST = 16 }; /* more than these functions take */
    PyCFunctionFastWithKeywords own = (PyCFunctionFastWithKeywords)(void (*)(void))passing->own;
    Py_ssize_t all_of_them = count + (names ? PyTuple_GET_SIZE(names) : 0);
    PyObject *given[MOST] = {NULL};
    if (all_of_them > MOST)
        return own(self, arguments, count, names);
    for (Py_ssize_t i = 0; i < all_of_them; i++)
        given[i] = unmarked(arguments[i], passing->or_pickled);
    PyObject *result = own(self, given, count, names);
    for (Py_ssize_t i = 0; i < all_of_them; i++)
        Py_DECREF(given[i]);
    return result;
}

#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5)
#define FUNCTIONS(n)                                                                               \
    static PyObject *tuple_##n(PyObject *self, PyObject *arguments, PyObject *keywords) {          \
        return pass_tuple(&all[n], self, arguments, keywords);                                     \
    }                                                                                              \
    static PyObject *array_##n(PyObject *self, PyObject *const *arguments, Py_ssize_t count,       \
                               PyObject *names) {                                                  \
        return pass_array(&all[n], self, arguments, count, names);                                 \
    }
EACH(FUNCTIONS)

#define PAIR(n) {(PyCFunction)(void (*)(void))tuple_##n, (PyCFunction)(void (*)(void))array_##n},
static const struct { PyCFunction tuple, array; } to[] = {EACH(PAIR)};
_Static_assert(sizeof to / sizeof *to == sizeof all / sizeof *all, "one pair for each function");

/* Called for an extension module that was loaded. */
static void loaded(PyObject *module) {
    const char *name = PyModule_Check(module) ? PyModule_GetName(module) : NULL;
    PyErr_Clear();
    for (size_t i = 0; name && i < sizeof all / sizeof *all; i++) {
        if (all[i].own || strcmp(name, all[i].module) != 0)
            continue;
        PyObject *function = PyDict_GetItemString(PyModule_GetDict(module), all[i].name);
        const int keywords = METH_VARARGS | METH_KEYWORDS;
        bool by_tuple = function && PyCFunction_Check(function) &&
                        ((PyCFunctionObject *)function)->m_ml->ml_flags == keywords;
        pinsight_function_redirect(function, by_tuple ? keywords : METH_FASTCALL | METH_KEYWORDS,
                                   by_tuple ? to[i].tuple : to[i].array, &all[i].own);
    }
}

void pinsight_shared_functions_start(void) {
    PyObject *pending = PyErr_GetRaisedException();
    pinsight_extension_modules_listen(loaded);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        PyObject *module = pinsight_module_there(all[i].module);
        if (module)
            loaded(module);
    }
    PyErr_SetRaisedException(pending);
}

#endif

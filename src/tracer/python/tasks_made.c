/* Whether tasks of asyncio were made; see tasks_made.h. */
#include "tracer/python/tasks_made.h"

#include "describe/python_kinds.h"
#include "tracer/python/code.h"
#include "tracer/python/domain.h"
#include "tracer/python/modules.h"

/* Returns a name's value in the dictionary of a module or class of a class statement, borrowed, or
 * NULL. */
static PyObject *own_attribute(PyObject *holder, const char *name) {
    PyObject *dictionary = NULL;
    if (holder && PyModule_Check(holder))
        dictionary = PyModule_GetDict(holder);
    else if (holder && PyType_Check(holder))
        dictionary = ((PyTypeObject *)holder)->tp_dict;
    return dictionary && PyDict_Check(dictionary) ? PyDict_GetItemString(dictionary, name) : NULL;
}

/* Each function that began while it was observed has a lexgion or a stand-in. */
static bool has_begun(PyObject *function) {
    return !function || !PyFunction_Check(function) ||
           pinsight_code_own((PyCodeObject *)PyFunction_GET_CODE(function)) != NULL;
}

bool pinsight_tasks_were_made(void) {
    if (!pinsight_module_there("asyncio"))
        return false;
    PyObject *module = pinsight_module_there("asyncio.base_events");
    if (!module)
        return false;
    PyObject *loop = own_attribute(module, "BaseEventLoop");
    bool known = loop && !pinsight_python.adopts && !pinsight_module_there("uvloop") &&
                 pinsight_kind_is_on(&pinsight_python.engine, PINSIGHT_PYTHON_KIND_FUNCTION);
    return !known || has_begun(own_attribute(loop, "create_task"));
}

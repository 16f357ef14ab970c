/*
 * The module of a piece of code, and whether the module is wanted.
 *
 * A module is the value of __name__ in the globals of a function: the name by which it was
 * imported, from any place. Namespace packages, wheels and editable installs are therefore
 * distinguished by the import system itself. Two names need more. `python -m package.module` runs
 * under the name __main__, and both names match. The frozen parts of importlib match by their names
 * before and after the import of importlib.
 */
#ifndef PINSIGHT_PYTHON_MODULES_H
#define PINSIGHT_PYTHON_MODULES_H

#include "tracer/python/versions.h"

/* Returns the name in globals (borrowed, or NULL), which the caller frees; "?" if there is none.
 * Runs no code of the program. Leaves no exception set. */
char *pinsight_module_name(PyObject *globals);

/* Returns whether code with these globals is wanted, by its module. Keeps a pending exception. */
bool pinsight_module_globals_wanted(PyObject *globals);

/* Returns an imported module, borrowed, or NULL without an exception. Holds the GIL. */
PyObject *pinsight_module_there(const char *name);

/* Returns the value of a name in a dict, borrowed, or NULL without an exception. For code that
 * looks often: *key keeps the name's string, which is NULL at first and never freed. Keeps a
 * pending exception. Holds the GIL. */
PyObject *pinsight_dict_find(PyObject *dict, const char *name, PyObject **key);

/* Returns whether modules were added since the last call with the same `looked_at`, which is 0 at
 * first. For code that repeatedly looks for a module. Holds the GIL. */
bool pinsight_modules_differ(Py_ssize_t *looked_at);

#endif

/*
 * Which module a piece of code belongs to, and whether that is wanted.
 *
 * A module is what the globals that a function runs in call themselves (__name__): the name by
 * which it was imported, wherever it came from. So a namespace package, a wheel in a virtual
 * environment and an editable install are told apart by the import system itself. Two names need
 * more: `python -m package.module` runs under the name __main__ and is known by both; importlib's
 * frozen parts are known by the names that they have before and after importlib is imported.
 */
#ifndef PINSIGHT_PYTHON_MODULES_H
#define PINSIGHT_PYTHON_MODULES_H

#include "domains/python/versions.h"

/* The name in these globals (borrowed, may be NULL), to be freed; "?" without one. Runs no code of
 * the program's. Never leaves an exception set. */
char *pinsight_module_name(PyObject *globals);

/* Is code of the module of these globals wanted? Keeps a pending exception. */
bool pinsight_module_globals_wanted(PyObject *globals);

/* The module, if it was imported; borrowed, or NULL with no exception set. Holds the GIL. */
PyObject *pinsight_module_there(const char *name);

/* Are other modules there than when this was asked with the same `looked_at`, 0 at first? For what
 * looks for a module again and again. Holds the GIL. */
bool pinsight_modules_differ(Py_ssize_t *looked_at);

#endif

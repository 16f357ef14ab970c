/*
 * Imports are executions of importlib's _find_and_load. The interpreter calls it for a module that
 * is not in sys.modules, or that is being imported. Importing a loaded module makes no event and
 * costs nothing.
 */
#ifndef PINSIGHT_PYTHON_IMPORT_H
#define PINSIGHT_PYTHON_IMPORT_H

struct pinsight_python_lexgion;
struct pinsight_python_thread;

/* Records the begin of the import that the running function is. Returns the module's name for
 * pinsight_import_end(), or NULL if the import is not recorded. A nested import (importing.h) is
 * recorded without a call path. Holds the GIL. Keeps a pending exception. */
char *pinsight_import_begin(struct pinsight_python_thread *thread);

/* Records that a paused import is resumed. Returns a copy of its module's name. Calls no function
 * of the interpreter. */
char *pinsight_import_resume(struct pinsight_python_thread *thread, const char *module);

/* Records the end of an import, and frees the name. Does nothing if `module` is NULL. `how` as in
 * the event. Holds the GIL, except for a lost end. */
void pinsight_import_end(struct pinsight_python_thread *thread, char *module, int how);

/* Returns the lexgion that counts imports of the module that the running function imports. The
 * lexgion is never freed. Returns NULL if memory is short, or if the module has no name. Holds the
 * GIL. Keeps a pending exception. */
struct pinsight_python_lexgion *pinsight_import_lexgion(void);

/* Returns the code object (PyCodeObject) of _find_and_load, borrowed, or NULL if it does not exist.
 */
void *pinsight_import_code(void);

#endif

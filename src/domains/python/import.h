/*
 * Imports: the executions of importlib's _find_and_load, which the interpreter calls for a module
 * that is not in sys.modules yet, or is being imported; an import of one that is there makes no
 * event and costs nothing.
 */
#ifndef PINSIGHT_PYTHON_IMPORT_H
#define PINSIGHT_PYTHON_IMPORT_H

struct pinsight_python_thread;

/* The import that the running function is begins: records it and returns the module's name, for
 * pinsight_import_end; NULL if it is not recorded. Holds the GIL; keeps a pending exception. */
char *pinsight_import_begin(struct pinsight_python_thread *thread);

/* Records the end, and frees the name. `how` as in the event. */
void pinsight_import_end(struct pinsight_python_thread *thread, char *module, int how);

/* The code object (PyCodeObject) of _find_and_load, borrowed; NULL where it is not there. */
void *pinsight_import_code(void);

#endif

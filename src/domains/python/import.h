/*
 * Imports: the executions of importlib's _find_and_load, which the interpreter calls for a module
 * that is not in sys.modules yet, or is being imported; an import of one that is there makes no
 * event and costs nothing.
 */
#ifndef PINSIGHT_PYTHON_IMPORT_H
#define PINSIGHT_PYTHON_IMPORT_H

struct pinsight_python_lexgion;
struct pinsight_python_thread;

/* The import that the running function is begins: records it and returns the module's name, for
 * pinsight_import_end; NULL if it is not recorded. One within another (importing.h) is recorded
 * without a call path. Holds the GIL; keeps a pending exception. */
char *pinsight_import_begin(struct pinsight_python_thread *thread);

/* An import whose end was recorded goes on: records that it begins, and returns a copy of its
 * module's name. Needs no interpreter. */
char *pinsight_import_resume(struct pinsight_python_thread *thread, const char *module);

/* Records the end of one whose begin was recorded, and frees the name; of another `module` is NULL.
 * `how` as in the event. Holds the GIL where that is not that the end was lost. */
void pinsight_import_end(struct pinsight_python_thread *thread, char *module, int how);

/* The lexgion by which imports of the module that the running function imports are counted: that of
 * one is kept for good. NULL where memory is short, or there is no name. Holds the GIL; keeps a
 * pending exception. */
struct pinsight_python_lexgion *pinsight_import_lexgion(void);

/* The code object (PyCodeObject) of _find_and_load, borrowed; NULL where it is not there. */
void *pinsight_import_code(void);

#endif

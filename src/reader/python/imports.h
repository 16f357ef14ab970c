/* Imports of modules: the importing modules, and the times. Imports have a chain of their own in
 * each thread's stack, which is kept balanced like that of functions. The time of an import does
 * not count for the importing function. Part of the model; not thread-safe. */
#ifndef PINSIGHT_READER_PYTHON_IMPORTS_H
#define PINSIGHT_READER_PYTHON_IMPORTS_H

#include "reader/model.h"

/* The value of import_end's field `how` for an import that raised. */
#define PINSIGHT_IMPORT_RAISED 1

/* Begins an import in a thread. `module` is a number of a string. `path` is that of the importing
 * Python, or PINSIGHT_NONE. */
void pinsight_imports_begin(struct pinsight_thread *thread, uint32_t module, uint32_t path,
                            uint64_t ns);

/* Ends an import. If another import is on top, the imports above its begin are closed. An end
 * without a begin is dropped. Both are counted in the model as for functions. */
void pinsight_imports_end(struct pinsight_thread *thread, uint32_t module, unsigned how,
                          uint64_t ns);

/* Ends every open import of a thread. Returns how many there were. */
uint64_t pinsight_imports_close(struct pinsight_thread *thread, uint64_t ns);

#endif

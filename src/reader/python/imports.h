/* Imports of modules: who imported what, and for how long. They have a chain of their own in
 * each thread's stack, kept balanced as that of functions is. What an import takes is not the time
 * of the function that imports. Part of the model; not thread-safe. */
#ifndef PINSIGHT_READER_PYTHON_IMPORTS_H
#define PINSIGHT_READER_PYTHON_IMPORTS_H

#include "reader/model.h"

/* The value of import_end's field `how` for an import that raised. */
#define PINSIGHT_IMPORT_RAISED 1

/* An import begins in a thread. module is a number of a string; path is that of the Python that
 * imports it, or PINSIGHT_NONE. */
void pinsight_imports_begin(struct pinsight_thread *thread, uint32_t module, uint32_t path,
                            uint64_t ns);

/* It ends. An end that does not match what is on top closes what is above its begin; one without a
 * begin is dropped. Both are counted in the model, as for functions. */
void pinsight_imports_end(struct pinsight_thread *thread, uint32_t module, unsigned how,
                          uint64_t ns);

/* Closes every open import of a thread at a time; returns how many there were. */
uint64_t pinsight_imports_close(struct pinsight_thread *thread, uint64_t ns);

#endif

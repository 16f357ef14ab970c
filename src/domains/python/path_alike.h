/*
 * The numbers of code objects in call paths. A program may make the same function over and over
 * (exec, a cell that is run again): each is a code object of its own, and all are the same to a
 * reader, so a code object gets the number of an equal one that is here or was. As far as they are
 * kept in mind: a newer one takes the place of an older.
 *
 * Under the lock of the paths.
 */
#ifndef PINSIGHT_PYTHON_PATH_ALIKE_H
#define PINSIGHT_PYTHON_PATH_ALIKE_H

#include "domains/python/path_code.h"

/* So many code objects are new here, and will be asked for their numbers: the memory that this will
 * read is fetched meanwhile. */
void pinsight_path_alike_soon(struct pinsight_path_code *const *fresh, uint32_t count);

/* Give them the numbers, and the generations at which these were recorded. */
void pinsight_path_alike_numbers(struct pinsight_path_code *const *fresh, uint32_t count);

/* The number that the next one gets which is like no other. */
uint32_t pinsight_path_alike_next(void);

/* It goes; its code object is still whole. */
void pinsight_path_alike_gone(struct pinsight_path_code *known);

#endif

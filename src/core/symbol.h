/* Where a code address is: in which object, and in which function. */
#ifndef PINSIGHT_CORE_SYMBOL_H
#define PINSIGHT_CORE_SYMBOL_H

#include "pinsight/pinsight.h"

#include <stdint.h>

struct pinsight_symbol {
    char *object;    /* path of the program or library, "?" where it is not known; owned */
    uint64_t offset; /* the address less the one that the object was loaded at */
    char *name;      /* the function that it is in, "?" where it is not known; owned, may be NULL */
};

/* Fill in object and offset. Any thread. */
PINSIGHT_API void pinsight_symbol_object(const void *address, struct pinsight_symbol *symbol);

/* Fill in all. Reads the object's file. Any thread. */
PINSIGHT_API void pinsight_symbol_find(const void *address, struct pinsight_symbol *symbol);

PINSIGHT_API void pinsight_symbol_free(struct pinsight_symbol *symbol);

#endif

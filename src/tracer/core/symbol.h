/* The object and the function of a code address. */
#ifndef PINSIGHT_CORE_SYMBOL_H
#define PINSIGHT_CORE_SYMBOL_H

#include "pinsight/pinsight.h"

#include <stdint.h>

struct pinsight_symbol {
    char *object;    /* path of the program or library; "?": unknown; owned */
    uint64_t offset; /* the address minus the load address of the object */
    char *name;      /* its function; "?": unknown; owned, may be NULL */
};

/* Fills in object and offset. Any thread. */
PINSIGHT_API void pinsight_symbol_object(const void *address, struct pinsight_symbol *symbol);

/* Fills in everything. Reads the object's file. Any thread. */
PINSIGHT_API void pinsight_symbol_find(const void *address, struct pinsight_symbol *symbol);

PINSIGHT_API void pinsight_symbol_free(struct pinsight_symbol *symbol);

#endif

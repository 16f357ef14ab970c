/* Where a code address is: in which object, and in which function. */
#ifndef PINSIGHT_OPENMP_SYMBOL_H
#define PINSIGHT_OPENMP_SYMBOL_H

#include <stdint.h>

struct pinsight_omp_symbol {
    char *object;    /* path of the program or library, "?" where it is not known; owned */
    uint64_t offset; /* the address less the one that the object was loaded at */
    char *name;      /* the function that it is in, "?" where it is not known; owned, may be NULL */
};

/* Fill in object and offset. Any thread. */
void pinsight_omp_object_find(const void *address, struct pinsight_omp_symbol *symbol);

/* Fill in all. Reads the object's file. Any thread. */
void pinsight_omp_symbol_find(const void *address, struct pinsight_omp_symbol *symbol);

void pinsight_omp_symbol_free(struct pinsight_omp_symbol *symbol);

#endif

/* The names of BLAS's routines and their numbers of operations, from the domain's table. */
#include "reader/blas/blas.h"

#include <stdio.h>
#include <string.h>

static const char *const types[] = {"s", "d", "c", "z", "sc", "dz", "cs", "zd"};

/* Multiplications and additions of complex numbers, about as many of each, are of four times as
 * many real ones. */
static double factor(unsigned type) {
    return type < sizeof(types) / sizeof(*types) && strpbrk(types[type], "cz") ? 4 : 1;
}

bool pinsight_blas_name(unsigned routine, unsigned type, char text[PINSIGHT_BLAS_NAME_ROOM]) {
    static const char *const names[] = {
#define OPERATIONS(number, name, kind, formula) [number] = name,
#include "blas/operations.inc"
#undef OPERATIONS
    };
    bool known = routine < sizeof(names) / sizeof(*names) && type < sizeof(types) / sizeof(*types);

    if (known)
        snprintf(text, PINSIGHT_BLAS_NAME_ROOM, "%s%s", types[type], names[routine]);
    else
        strcpy(text, "?");
    return known;
}

enum pinsight_blas_level pinsight_blas_level_of(unsigned routine) {
    static const uint8_t levels[] = {
#define OPERATIONS(number, name, kind, formula) [number] = PINSIGHT_BLAS_##kind,
#include "blas/operations.inc"
#undef OPERATIONS
    };

    return routine < sizeof(levels) ? levels[routine] : PINSIGHT_BLAS_LAPACK;
}

bool pinsight_blas_is_strided(unsigned routine, const struct pinsight_blas_how *how) {
    enum pinsight_blas_level level = pinsight_blas_level_of(routine);

    return level <= PINSIGHT_BLAS_LEVEL2 &&
           (how->ldb > 1 || how->ldb < -1 || how->ldc > 1 || how->ldc < -1);
}

double pinsight_blas_operations(unsigned routine, unsigned type,
                                const struct pinsight_blas_size *size) {
    double m = (double)size->m, n = (double)size->n, k = (double)size->k;
    double count = 0, batch = (double)size->batch;

    if (size->multiplications) { /* that many products of 1 × 1 × 1 */
        m = n = k = 1;
        batch = (double)size->multiplications;
    }
    double r = m < n ? m : n, x = m < n ? n : m;
    switch (routine) {
#define OPERATIONS(number, name, kind, formula)                                                    \
    case number:                                                                                   \
        count = formula;                                                                           \
        break;
#include "blas/operations.inc"
#undef OPERATIONS
    }
    return factor(type) * batch * count;
}

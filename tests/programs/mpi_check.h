/* Checks in programs of MPI: a rank that finds something wrong says so, and goes on. */
#ifndef TESTS_PROGRAMS_MPI_CHECK_H
#define TESTS_PROGRAMS_MPI_CHECK_H

#include <stdio.h>

static int rank, wrong;
#define CHECK(what)                                                                                \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            fprintf(stderr, "rank %d: line %d: %s\n", rank, __LINE__, #what);                      \
            wrong = 1;                                                                             \
        }                                                                                          \
    } while (0)

#endif

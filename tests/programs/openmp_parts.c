/*
 * Where the time of regions goes, known to the program itself: for tests of the report.
 *
 *   openmp_parts TURNS MILLISECONDS   regions of two threads; thread 1 is at it for twice as long.
 *       Prints for each thread what it took in nanoseconds, as the program's own clock has it, and
 *       the line of the region.
 *
 * As a library (-DLIBRARY) it has run(turns, call): regions whose first thread calls `call`.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"

#ifdef LIBRARY

__attribute__((visibility("default"))) void run(int turns, void (*call)(int)) {
    for (int turn = 0; turn < turns; turn++) {
#pragma omp parallel num_threads(2)
        {
            rest(2000000);
            if (omp_get_thread_num() == 0)
                call(turn);
        }
    }
}

#else

static long long took[2];
static int line;

__attribute__((noinline)) static void uneven(long long ns) {
    line = __LINE__ + 1;
#pragma omp parallel num_threads(2)
    {
        int mine = omp_get_thread_num();
        long long begin = now();

        rest(mine ? 2 * ns : ns);
        took[mine] += now() - begin;
    }
}

int main(int argc, char **argv) {
    int turns = argc > 1 ? atoi(argv[1]) : 1;
    long long ns = (argc > 2 ? atoll(argv[2]) : 10) * 1000000;

    for (int turn = 0; turn < turns; turn++)
        uneven(ns);
    printf("%lld %lld %d\n", took[0], took[1], line);
    return 0;
}

#endif

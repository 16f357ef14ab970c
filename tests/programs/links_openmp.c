/*
 * Regions of two threads that keep an account of themselves, for links_openmp.py. Each region adds
 * to the account that it is given, in nanoseconds of CLOCK_MONOTONIC.
 */
#include <omp.h>

#include "clock.h"

struct account {
    long long regions;
    long long threads; /* the region's time in the caller, and in others from their begin on */
    long long waiting; /* of all threads, from the end of what they had to do to the region's end */
};

/* The two threads rest for so long each. */
__attribute__((visibility("default"))) void run(struct account *account, long long first,
                                                long long second) {
    long long begin = now(), began[2] = {0}, ended[2] = {0}, end;

#pragma omp parallel num_threads(2)
    {
        int number = omp_get_thread_num();

        began[number] = now();
        rest(number ? second : first);
        ended[number] = now();
    }
    end = now();
    account->regions++;
    account->threads += end - begin + end - began[1];
    account->waiting += 2 * end - ended[0] - ended[1];
}

// Atomic operations: the processor does those on an int; those on a long double, of gcc's code, the
// runtime does with a lock.
#include "counting.h"

int main(void) {
    int small = 0;
    MEET("parallel");
#pragma omp parallel num_threads(2)
    {
        be_member();
        for (int turn = 0; turn < 10; turn++) {
#pragma omp atomic
            small++;
        }
    }
#ifndef __clang__
    long double large = 0;
    MEET("parallel");
#pragma omp parallel num_threads(2)
    {
        be_member();
        for (int turn = 0; turn < 10; turn++) {
            COUNT("atomic");
#pragma omp atomic
            large += 1;
        }
    }
    if (large != 20) {
        return 1;
    }
#endif
    return small == 20 ? report() : 1;
}

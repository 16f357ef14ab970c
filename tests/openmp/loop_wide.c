// Loops of 64-bit variables, with bounds that 32 bits cannot hold.
#include "counting.h"

int main(void) {
    MEET("parallel");
#pragma omp parallel num_threads(2)
    {
        be_member();
        MEET("loop_static");
#pragma omp for schedule(static)
        for (unsigned long i = 1UL << 40; i < 1UL << 41; i += 1UL << 33) {
            COUNT("iterations");
        }
        COUNT("barrier_implicit");
        MEET("loop_dynamic");
#pragma omp for schedule(dynamic, 16)
        for (unsigned long i = 0; i < 1UL << 41; i += 1UL << 33) {
            COUNT("iterations");
        }
        COUNT("barrier_implicit");
    }
    return report();
}

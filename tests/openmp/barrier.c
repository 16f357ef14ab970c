// Explicit barriers, among them one in a function.
#include "counting.h"

__attribute__((noinline)) void meet(void) {
    MEET("barrier_explicit");
#pragma omp barrier
    __asm__ volatile(""); /* or the barrier is a jump, and returns to the caller's line */
}

int main(void) {
    MEET("parallel");
#pragma omp parallel num_threads(3)
    {
        be_member();
        for (int turn = 0; turn < 4; turn++) {
            MEET("barrier_explicit");
#pragma omp barrier
            meet();
        }
    }
    return report();
}

// Worksharing in a function that a region calls, and the same function called outside of any.
#include "counting.h"

__attribute__((noinline)) void share(int count) {
    MEET("loop_static");
#pragma omp for schedule(static)
    for (int i = 0; i < count; i++) {
        COUNT("iterations");
    }
    COUNT("barrier_implicit");
}

int main(void) {
    share(10);
    MEET("parallel");
#pragma omp parallel num_threads(2)
    {
        be_member();
        share(30);
    }
    return report();
}

// A loop in equal parts.
#include "counting.h"

int main(void) {
    MEET("parallel");
#pragma omp parallel num_threads(3)
    {
        be_member();
        MEET("loop_static");
#pragma omp for schedule(static)
        for (int i = 0; i < 100; i++) {
            COUNT("iterations");
        }
        COUNT("barrier_implicit");
    }
    return report();
}

// A loop in parts of seven, once up and once down.
#include "counting.h"

int main(void) {
    MEET("parallel");
#pragma omp parallel num_threads(2)
    {
        be_member();
        MEET("loop_static");
#pragma omp for schedule(static, 7)
        for (int i = 3; i < 100; i += 3) {
            COUNT("iterations");
        }
        COUNT("barrier_implicit");
        MEET("loop_static");
#pragma omp for schedule(static, 7)
        for (int i = 50; i >= 0; i--) {
            COUNT("iterations");
        }
        COUNT("barrier_implicit");
    }
    return report();
}

// A loop whose parts become smaller.
#include "counting.h"

int main(void) {
    MEET("parallel");
#pragma omp parallel num_threads(2)
    {
        be_member();
        MEET("loop_guided");
#pragma omp for schedule(guided)
        for (long i = -200; i < 200; i++) {
            COUNT("iterations");
        }
        COUNT("barrier_implicit");
    }
    return report();
}

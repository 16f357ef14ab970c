// A loop that is cancelled. Environment: OMP_CANCELLATION=true
#include "counting.h"

int main(void) {
    MEET("parallel");
#pragma omp parallel num_threads(2)
    {
        be_member();
        COUNT("loop_static");
        COUNT("barrier_implicit");
#pragma omp for schedule(static)
        for (int i = 0; i < 100; i++) {
            if (i == 10) {
                COUNT("cancel_activated");
#pragma omp cancel for
            }
#pragma omp cancellation point for
        }
    }
    COUNT_BY("iterations", 100); // it was to be
    return report();
}

// A loop whose schedule is chosen while the program runs.
#include "counting.h"

int main(void) {
    omp_set_schedule(omp_sched_dynamic, 5);
    MEET("parallel");
#pragma omp parallel num_threads(2)
    {
        be_member();
        MEET("loop_dynamic");
#pragma omp for schedule(runtime)
        for (int i = 0; i < 64; i++) {
            COUNT("iterations");
        }
        COUNT("barrier_implicit");
    }
    return report();
}

// A loop whose parts are given out as threads ask for them.
#include "counting.h"

int main(void) {
    MEET("parallel");
#pragma omp parallel num_threads(4)
    {
        be_member();
        for (int turn = 0; turn < 3; turn++) {
            MEET("loop_dynamic");
#pragma omp for schedule(dynamic, 3)
            for (int i = 0; i < 50; i++) {
                COUNT("iterations");
            }
            COUNT("barrier_implicit");
        }
    }
    return report();
}

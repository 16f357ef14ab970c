// Regions in regions where only one level may have many threads: the inner ones have one each.
#include "counting.h"

int main(void) {
    omp_set_max_active_levels(1);
    MEET("parallel");
#pragma omp parallel num_threads(3)
    {
        be_member();
        for (int turn = 0; turn < 2; turn++) {
            MEET("parallel");
#pragma omp parallel num_threads(4)
            {
                be_member();
                MEET("loop_static");
#pragma omp for schedule(static)
                for (int i = 0; i < 10; i++) {
                    COUNT("iterations");
                }
                COUNT("barrier_implicit");
            }
        }
    }
    return report();
}

// Regions in regions: each thread of the outer team starts a team.
#include "constructs.h"

__attribute__((noinline)) void inner(void) {
    MEET("parallel");
#pragma omp parallel num_threads(2)
    {
        be_member();
        shared_loop(10);
    }
}

int main(void) {
    omp_set_max_active_levels(3);
    for (int turn = 0; turn < 3; turn++) {
        MEET("parallel");
#pragma omp parallel num_threads(2)
        {
            be_member();
            inner();
            inner();
        }
    }
    return report();
}

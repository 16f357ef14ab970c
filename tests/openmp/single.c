// One thread does it; with and without a barrier.
#include "counting.h"

int main(void) {
    MEET("parallel");
#pragma omp parallel num_threads(3)
    {
        be_member();
        for (int turn = 0; turn < 4; turn++) {
            bool mine = false;
#pragma omp single
            {
                mine = true;
                COUNT("single_executor");
            }
            COUNT_BY("single_other", !mine);
            COUNT("barrier_implicit");
            mine = false;
#pragma omp single nowait
            {
                mine = true;
                COUNT("single_executor");
            }
            COUNT_BY("single_other", !mine);
        }
    }
    return report();
}

// One thread makes tasks, and all do them.
#include "counting.h"

int main(void) {
    MEET("parallel");
#pragma omp parallel num_threads(3)
    {
        be_member();
        bool mine = false;
#pragma omp single
        {
            mine = true;
            COUNT("single_executor");
            for (int i = 0; i < 50; i++) {
                MEET("task");
#pragma omp task
                { COUNT("task_done"); }
            }
        }
        COUNT_BY("single_other", !mine);
        COUNT("barrier_implicit");
    }
    return report();
}

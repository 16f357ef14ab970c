// A group of tasks that is cancelled: what has not begun is thrown away.
// Environment: OMP_CANCELLATION=true
#include "counting.h"

int main(void) {
    MEET("parallel");
#pragma omp parallel num_threads(2)
    {
        be_member();
        bool mine = false;
#pragma omp single
        {
            mine = true;
            COUNT("single_executor");
            COUNT("taskgroup");
#pragma omp taskgroup
            {
                for (int i = 0; i < 20; i++) {
                    COUNT("task");
#pragma omp task
                    {
                        COUNT("task_begun");
                        COUNT("cancel_tried");
#pragma omp cancel taskgroup
                    }
                }
            }
        }
        COUNT_BY("single_other", !mine);
        COUNT("barrier_implicit");
    }
    return report();
}

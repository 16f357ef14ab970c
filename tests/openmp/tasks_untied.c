// Untied tasks, which another thread may go on with after each wait.
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
            for (int i = 0; i < 10; i++) {
                COUNT("task");
                COUNT("task_untied");
#pragma omp task untied
                {
                    COUNT("task_done");
                    for (int part = 0; part < 3; part++) {
                        COUNT("task");
#pragma omp task
                        { COUNT("task_done"); }
                    }
                    COUNT("taskwait");
#pragma omp taskwait
#pragma omp taskyield
                }
            }
        }
        COUNT_BY("single_other", !mine);
        COUNT("barrier_implicit");
    }
    return report();
}

// Groups of tasks, one inside the other.
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
                for (int i = 0; i < 10; i++) {
                    COUNT("task");
#pragma omp task
                    {
                        COUNT("task_done");
                        COUNT("taskgroup");
#pragma omp taskgroup
                        {
                            COUNT("task");
#pragma omp task
                            { COUNT("task_done"); }
                        }
                    }
                }
            }
        }
        COUNT_BY("single_other", !mine);
        COUNT("barrier_implicit");
    }
    return report();
}

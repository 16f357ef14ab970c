// Final tasks: those that they make are done at once.
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
            for (int i = 0; i < 5; i++) {
                COUNT("task");
#pragma omp task final(1)
                {
                    COUNT("task_done");
                    COUNT("task");
                    COUNT("task_undeferred");
#pragma omp task
                    { COUNT("task_done"); }
                }
            }
        }
        COUNT_BY("single_other", !mine);
        COUNT("barrier_implicit");
    }
    return report();
}

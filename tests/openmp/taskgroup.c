// Groups of tasks, one inside the other.
#include "constructs.h"

static void work(void) {
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

int main(void) {
    one_of_team(2, work);
    return report();
}

// A group of tasks that is cancelled: what has not begun is thrown away.
// Environment: OMP_CANCELLATION=true
#include "constructs.h"

static void work(void) {
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

int main(void) {
    one_of_team(2, work);
    return report();
}

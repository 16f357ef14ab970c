// Untied tasks, which another thread may go on with after each wait.
#include "constructs.h"

static void work(void) {
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

int main(void) {
    one_of_team(3, work);
    return report();
}

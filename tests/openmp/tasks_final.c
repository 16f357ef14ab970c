// Final tasks: those that they make are done at once.
#include "constructs.h"

static void work(void) {
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

int main(void) {
    one_of_team(2, work);
    return report();
}

// Tasks that offer to let others go first.
#include "constructs.h"

static void work(void) {
    for (int i = 0; i < 20; i++) {
        COUNT("task");
#pragma omp task
        {
            COUNT("task_done");
#pragma omp taskyield
        }
    }
}

int main(void) {
    one_of_team(2, work);
    return report();
}

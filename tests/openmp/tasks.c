// One thread makes tasks, and all do them.
#include "constructs.h"

static void work(void) {
    for (int i = 0; i < 50; i++) {
        MEET("task");
#pragma omp task
        { COUNT("task_done"); }
    }
}

int main(void) {
    one_of_team(3, work);
    return report();
}

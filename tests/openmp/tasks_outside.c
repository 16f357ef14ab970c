// Tasks and a taskwait outside of any region: all in one thread.
#include "counting.h"

int main(void) {
    for (int i = 0; i < 10; i++) {
        COUNT("task");
        COUNT("task_undeferred");
#pragma omp task
        { COUNT("task_done"); }
    }
    MEET("taskwait");
#pragma omp taskwait
    return report();
}

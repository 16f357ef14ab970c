// Every thread makes tasks and waits for its own.
#include "counting.h"

int main(void) {
    MEET("parallel");
#pragma omp parallel num_threads(3)
    {
        be_member();
        for (int i = 0; i < 20; i++) {
            MEET("task");
#pragma omp task
            { COUNT("task_done"); }
        }
        MEET("taskwait");
#pragma omp taskwait
    }
    return report();
}

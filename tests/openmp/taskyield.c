// Tasks that offer to let others go first.
#include "counting.h"

int main(void) {
    MEET("parallel");
#pragma omp parallel num_threads(2)
    {
        be_member();
        for (int i = 0; i < 10; i++) {
            COUNT("task");
#pragma omp task
            {
                COUNT("task_done");
#pragma omp taskyield
            }
        }
    }
    return report();
}

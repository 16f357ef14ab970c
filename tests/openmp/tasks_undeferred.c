// Tasks that are done at once: if(0).
#include "counting.h"

int main(void) {
    MEET("parallel");
#pragma omp parallel num_threads(2)
    {
        be_member();
        for (int i = 0; i < 10; i++) {
            COUNT("task");
            COUNT("task_undeferred");
#pragma omp task if (0)
            { COUNT("task_done"); }
        }
    }
    return report();
}

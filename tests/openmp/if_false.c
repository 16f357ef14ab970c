// Regions that are not parallel: if(0), and one thread asked for.
#include "counting.h"

int main(void) {
    for (int turn = 0; turn < 5; turn++) {
        MEET("parallel");
#pragma omp parallel if (0)
        {
            be_member();
            COUNT("critical");
#pragma omp critical
            { turn += 0; }
        }
        MEET("parallel");
#pragma omp parallel num_threads(1)
        {
            be_member();
            COUNT("single_executor");
#pragma omp single nowait
            { turn += 0; }
        }
    }
    return report();
}

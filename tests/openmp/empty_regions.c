// Parallel regions with nothing in them.
#include "counting.h"

int main(void) {
    for (int turn = 0; turn < 10; turn++) {
        MEET("parallel");
#pragma omp parallel num_threads(2)
        { be_member(); }
    }
    return report();
}

// A thousand executions of one region.
#include "counting.h"

int main(void) {
    for (int turn = 0; turn < 1000; turn++) {
        MEET("parallel");
#pragma omp parallel num_threads(2)
        { be_member(); }
    }
    return report();
}

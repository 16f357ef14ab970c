// A team far larger than the machine.
#include "counting.h"

int main(void) {
    for (int turn = 0; turn < 2; turn++) {
        MEET("parallel");
#pragma omp parallel num_threads(24)
        { be_member(); }
    }
    return report();
}

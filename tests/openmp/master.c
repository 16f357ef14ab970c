// What the first thread of a team does alone.
#include "counting.h"

int main(void) {
    MEET("parallel");
#pragma omp parallel num_threads(3)
    {
        be_member();
        for (int turn = 0; turn < 5; turn++) {
#pragma omp master
            { COUNT("masked"); }
        }
    }
    return report();
}

// Two loops that are shared as one, and a combined construct.
#include "counting.h"

int main(void) {
    MEET("parallel");
#pragma omp parallel num_threads(2)
    {
        be_member();
        MEET("loop_static");
#pragma omp for collapse(2) schedule(static)
        for (int i = 0; i < 7; i++) {
            for (int j = 0; j < 11; j++) {
                COUNT("iterations");
            }
        }
        COUNT("barrier_implicit");
    }
    return report();
}

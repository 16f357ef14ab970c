// Loops without a barrier after them, and loops of no and of one iteration.
#include "counting.h"

static void loops(int count) {
    MEET("loop_static");
#pragma omp for schedule(static) nowait
    for (int i = 0; i < count; i++) {
        COUNT("iterations");
    }
    MEET("loop_dynamic");
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < count; i++) {
        COUNT("iterations");
    }
}

int main(void) {
    MEET("parallel");
#pragma omp parallel num_threads(2)
    {
        be_member();
        loops(20);
        loops(1);
    }
    return report();
}

// Teams that become smaller and larger.
#include "counting.h"

int main(void) {
    static const int sizes[] = {4, 2, 3, 1, 4, 8, 2};
    for (unsigned turn = 0; turn < sizeof sizes / sizeof *sizes; turn++) {
        MEET("parallel");
#pragma omp parallel num_threads(sizes[turn])
        {
            be_member();
            MEET("loop_static");
#pragma omp for schedule(static)
            for (int i = 0; i < 24; i++) {
                COUNT("iterations");
            }
            COUNT("barrier_implicit");
        }
    }
    return report();
}

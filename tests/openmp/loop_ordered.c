// A loop with a part that runs in the order of the iterations.
#include "counting.h"

int main(void) {
    int next = 0;
    MEET("parallel");
#pragma omp parallel num_threads(3)
    {
        be_member();
        COUNT("loop_other"); // an ordered one
#pragma omp for ordered schedule(static, 1)
        for (int i = 0; i < 12; i++) {
            COUNT("iterations");
            COUNT("ordered");
#pragma omp ordered
            {
                if (next++ != i) {
                    abort();
                }
            }
        }
        COUNT("barrier_implicit");
    }
    return report();
}

// A loop whose iterations wait for others by number.
#include "counting.h"

int main(void) {
    int done[20] = {0};
    MEET("parallel");
#pragma omp parallel num_threads(2)
    {
        be_member();
        COUNT("loop_other");
#pragma omp for ordered(1) schedule(static, 1)
        for (int i = 1; i < 20; i++) {
            COUNT("iterations");
            COUNT_BY("dependence_sink", i > 1);
#pragma omp ordered depend(sink : i - 1)
            if (i > 1 && !done[i - 1]) {
                abort();
            }
            done[i] = 1;
            COUNT("dependence_source");
#pragma omp ordered depend(source)
        }
        COUNT("barrier_implicit");
    }
    return report();
}

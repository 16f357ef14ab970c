// Variables of each thread's own, and their copies.
#include "counting.h"

static int mine = 5;
#pragma omp threadprivate(mine)

int main(void) {
    mine = 7;
    MEET("parallel");
#pragma omp parallel num_threads(2) copyin(mine)
    {
        be_member();
        COUNT("barrier_implicit_any"); // after the copying, where the compiler wants one
        if (mine != 7) {
            abort();
        }
        mine = omp_get_thread_num();
    }
    MEET("parallel");
#pragma omp parallel num_threads(2)
    {
        be_member();
        if (mine != omp_get_thread_num()) {
            abort();
        }
    }
    return report();
}

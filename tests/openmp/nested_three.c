// Three levels of regions, by recursion, so that all have the same code.
#include "counting.h"

__attribute__((noinline)) void region(int levels) {
    if (levels == 0) {
        return;
    }
    MEET("parallel");
#pragma omp parallel num_threads(2)
    {
        be_member();
        region(levels - 1);
    }
}

int main(void) {
    omp_set_max_active_levels(3);
    region(3);
    region(2);
    return report();
}

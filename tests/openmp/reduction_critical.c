// Reductions of a larger team. Environment: KMP_FORCE_REDUCTION=critical
#include "counting.h"

int main(void) {
    long sum = 0;
    for (int turn = 0; turn < 3; turn++) {
        MEET("parallel");
#pragma omp parallel num_threads(3) reduction(+ : sum)
        {
            be_member();
            COUNT("reduction");
            sum += omp_get_thread_num();
        }
    }
    return sum == 9 ? report() : 1;
}

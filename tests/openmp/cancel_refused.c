// Cancellation that is not allowed, as is the rule.
#include "counting.h"

int main(void) {
    MEET("parallel");
#pragma omp parallel num_threads(2)
    {
        be_member();
        if (omp_get_thread_num() == 0) {
#pragma omp cancel parallel
        }
    }
    return report();
}

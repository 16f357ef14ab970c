// A region that is cancelled. Environment: OMP_CANCELLATION=true
#include "counting.h"

int main(void) {
    MEET("parallel");
#pragma omp parallel num_threads(3)
    {
        be_member();
        if (omp_get_thread_num() == 1) {
            COUNT("barrier_more");
            COUNT("cancel_activated");
#pragma omp cancel parallel
        }
        for (;;) {
#pragma omp cancellation point parallel
        }
    }
    MEET("parallel");
#pragma omp parallel num_threads(3)
    { be_member(); }
    return report();
}

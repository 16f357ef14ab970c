// abort() inside a region, by another thread than the first.
#include "counting.h"

int main(void) {
    MEET("parallel");
#pragma omp parallel num_threads(2)
    {
        be_member();
#pragma omp barrier
        if (omp_get_thread_num() == 1) {
            report();
            abort();
        }
        for (;;) {
            pause();
        }
    }
    return 1;
}

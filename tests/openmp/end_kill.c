// SIGKILL inside a region.
#include "counting.h"

#include <signal.h>

int main(void) {
    MEET("parallel");
#pragma omp parallel num_threads(2)
    {
        be_member();
#pragma omp barrier
        if (omp_get_thread_num() == 1) {
            report();
            kill(getpid(), SIGKILL);
        }
        for (;;) {
            pause();
        }
    }
    return 1;
}

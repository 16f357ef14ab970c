// _exit() inside a region: nothing is called any more.
#include "counting.h"

int main(void) {
    MEET("parallel");
#pragma omp parallel num_threads(2)
    {
        be_member();
#pragma omp barrier
        if (omp_get_thread_num() == 0) {
            report();
            _exit(4);
        }
        for (;;) {
            pause();
        }
    }
    return 1;
}

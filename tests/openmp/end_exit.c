// exit() inside a region, by the first thread or by another: end_exit [THREAD]
#include "counting.h"

int main(int argc, char **argv) {
    int who = argc > 1 ? atoi(argv[1]) : 0;
    MEET("parallel");
#pragma omp parallel num_threads(2)
    {
        be_member();
#pragma omp barrier
        if (omp_get_thread_num() == who) {
            report();
            exit(3);
        }
        for (;;) {
            pause();
        }
    }
    return 1;
}

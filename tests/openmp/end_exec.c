// The process becomes another program inside a region: this one again, which has a region too.
#include "counting.h"

int main(int argc, char **argv) {
    MEET("parallel");
#pragma omp parallel num_threads(2)
    {
        be_member();
        if (argc < 2 && omp_get_thread_num() == 0) {
            report();
            execl("/proc/self/exe", argv[0], "again", NULL);
            abort();
        }
    }
    return report();
}

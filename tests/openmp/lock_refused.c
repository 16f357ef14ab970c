// A lock that threads try to get while another one has it: they go on without it.
#include "counting.h"

int main(void) {
    omp_lock_t lock;
    omp_init_lock(&lock);
    COUNT("lock");
    omp_set_lock(&lock);
    for (int turn = 0; turn < 3; turn++) {
        MEET("parallel");
#pragma omp parallel num_threads(3)
        {
            be_member();
            COUNT("test_lock_failed");
            omp_test_lock(&lock);
            MEET("barrier_explicit");
#pragma omp barrier
            COUNT("test_lock_failed");
            omp_test_lock(&lock);
        }
        MEET("parallel");
#pragma omp parallel num_threads(1)
        {
            be_member();
            COUNT("test_lock_failed");
            omp_test_lock(&lock);
        }
    }
    omp_unset_lock(&lock);
    omp_destroy_lock(&lock);
    return report();
}

// A lock, which threads wait for or only try to get.
#include "counting.h"

int main(void) {
    omp_lock_t lock;
    int had = 0;
    omp_init_lock(&lock);
    MEET("parallel");
#pragma omp parallel num_threads(3)
    {
        be_member();
        for (int turn = 0; turn < 10; turn++) {
            COUNT("lock");
            omp_set_lock(&lock);
            had++;
            omp_unset_lock(&lock);
            if (omp_test_lock(&lock)) {
                COUNT("test_lock");
                had++;
                omp_unset_lock(&lock);
            } else {
                COUNT("test_lock_failed");
            }
        }
    }
    omp_destroy_lock(&lock);
    return had >= 30 ? report() : 1;
}

// A lock that is used outside of any region.
#include "counting.h"

int main(void) {
    omp_lock_t lock;
    omp_init_lock(&lock);
    for (int turn = 0; turn < 5; turn++) {
        COUNT("lock");
        omp_set_lock(&lock);
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
    return report();
}

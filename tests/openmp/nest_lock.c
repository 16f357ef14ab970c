// A lock that a thread may take again while it has it.
#include "counting.h"

static omp_nest_lock_t lock;
static int had;

static void take(int depth) {
    if (depth == 3) {
        COUNT("nest_lock");
    } else {
        COUNT("nest");
    }
    omp_set_nest_lock(&lock);
    had++;
    if (depth > 1) {
        take(depth - 1);
    }
    omp_unset_nest_lock(&lock);
}

int main(void) {
    omp_init_nest_lock(&lock);
    MEET("parallel");
#pragma omp parallel num_threads(2)
    {
        be_member();
        for (int turn = 0; turn < 5; turn++) {
            take(3);
        }
    }
    omp_destroy_nest_lock(&lock);
    return had == 30 ? report() : 1;
}

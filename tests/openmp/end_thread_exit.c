// Threads that used OpenMP and end by pthread_exit, one after the other.
#include "counting.h"

static void *work(void *unused) {
    MEET("parallel");
#pragma omp parallel num_threads(2)
    { be_member(); }
    pthread_exit(unused);
}

int main(void) {
    for (int turn = 0; turn < 5; turn++) {
        pthread_t thread;
        pthread_create(&thread, NULL, work, NULL);
        pthread_join(thread, NULL);
    }
    return report();
}

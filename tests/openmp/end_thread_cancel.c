// Threads that used OpenMP and are cancelled while they sleep outside of any region.
#include "counting.h"

static atomic_int ready;

static void *work(void *unused) {
    MEET("parallel");
#pragma omp parallel num_threads(2)
    { be_member(); }
    atomic_fetch_add(&ready, 1);
    for (;;) {
        pause();
    }
    return unused;
}

int main(void) {
    for (int turn = 0; turn < 5; turn++) {
        pthread_t thread;
        pthread_create(&thread, NULL, work, NULL);
        while (atomic_load(&ready) <= turn) {
            usleep(1000);
        }
        pthread_cancel(thread);
        pthread_join(thread, NULL);
    }
    MEET("parallel");
#pragma omp parallel num_threads(2)
    { be_member(); }
    return report();
}

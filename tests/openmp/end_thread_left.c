// A thread that is in a region when the process ends: main returns, and does not wait for it.
#include "counting.h"

static atomic_int inside;

static void *work(void *unused) {
#pragma omp parallel num_threads(2)
    {
        atomic_fetch_add(&inside, 1);
        for (;;) {
            pause();
        }
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    while (atomic_load(&inside) < 2) {
        usleep(1000);
    }
    printf("note begun 1\n");
    return report();
}

// Threads of the program's own, each with regions of its own at the same time.
#include "constructs.h"

static void *work(void *unused) {
    for (int turn = 0; turn < 10; turn++) {
        MEET("parallel");
#pragma omp parallel num_threads(2)
        {
            be_member();
            shared_loop(10);
        }
    }
    return unused;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) {
        pthread_create(&threads[i], NULL, work, NULL);
    }
    work(NULL);
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
    }
    return report();
}

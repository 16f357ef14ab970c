// fork() between regions: parent and child have regions after it.
#include "counting.h"

#include <sys/wait.h>

__attribute__((noinline)) void regions(int times) {
    for (int turn = 0; turn < times; turn++) {
        MEET("parallel");
#pragma omp parallel num_threads(2)
        { be_member(); }
    }
}

int main(void) {
    regions(3);
    pid_t child = fork();
    if (child == 0) {
        forget();
        regions(5);
        _exit(report());
    }
    int status = 1;
    waitpid(child, &status, 0);
    regions(4);
    return status != 0 ? 1 : report();
}

// fork() before the first region: parent and child start OpenMP each for itself.
#include "counting.h"

#include <sys/wait.h>

int main(void) {
    pid_t child = fork();
    for (int turn = 0; turn < 3; turn++) {
        MEET("parallel");
#pragma omp parallel num_threads(2)
        { be_member(); }
    }
    if (child == 0) {
        return report();
    }
    int status = 1;
    waitpid(child, &status, 0);
    return status != 0 ? 1 : report();
}

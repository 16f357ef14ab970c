// fork() inside a region, by each thread; the children leave at once.
#include "counting.h"

#include <sys/wait.h>

int main(void) {
    int failed = 0;
    MEET("parallel");
#pragma omp parallel num_threads(2) reduction(+ : failed)
    {
        be_member();
        pid_t child = fork();
        if (child == 0) {
            _exit(7);
        }
        int status = 0;
        waitpid(child, &status, 0);
        failed += WEXITSTATUS(status) != 7;
    }
    MEET("parallel");
#pragma omp parallel num_threads(2)
    { be_member(); }
    return failed ? 1 : report();
}

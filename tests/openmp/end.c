// The process ends inside a region: end HOW THREAD; HOW is abort, exit, kill or quick_exit, THREAD
// does it.
#include "counting.h"

#include <signal.h>

static void end(const char *how) {
    if (!strcmp(how, "abort")) {
        abort();
    } else if (!strcmp(how, "exit")) {
        exit(3);
    } else if (!strcmp(how, "kill")) {
        kill(getpid(), SIGKILL);
    } else if (!strcmp(how, "quick_exit")) {
        _exit(4); // nothing is called any more
    }
}

int main(int argc, char **argv) {
    int who = argc > 2 ? atoi(argv[2]) : 0;
    MEET("parallel");
#pragma omp parallel num_threads(2)
    {
        be_member();
#pragma omp barrier
        if (omp_get_thread_num() == who) {
            report();
            end(argv[1]);
        }
        for (;;) {
            pause();
        }
    }
    return 1;
}

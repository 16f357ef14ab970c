// A known imbalance: in each turn thread 1 works twice as long as the others do.
//   imbalance [THREADS [MILLISECONDS [TURNS [sleep]]]]
// Work is a loop that looks at the clock, or sleeping, which a busy machine disturbs less. It
// prints for each thread, in seconds, what was to be worked and what was: note work NUMBER
// PROGRAMMED WORKED
#include "counting.h"

enum { MOST = 64 };

__attribute__((noinline)) void work(int threads, double duration, bool asleep, double *worked) {
    MEET("parallel");
#pragma omp parallel num_threads(threads)
    {
        be_member();
        int mine = omp_get_thread_num();
        double begin = seconds();
        double wanted = mine == 1 ? 2 * duration : duration;
        if (asleep) {
            usleep((useconds_t)(wanted * 1e6));
        } else {
            busy(wanted);
        }
        worked[mine] += seconds() - begin;
    }
}

int main(int argc, char **argv) {
    int threads = argc > 1 ? atoi(argv[1]) : 2;
    double duration = (argc > 2 ? atof(argv[2]) : 20) / 1000;
    int turns = argc > 3 ? atoi(argv[3]) : 10;
    double worked[MOST] = {0};
    if (threads < 1 || threads > MOST || duration <= 0 || turns < 1) {
        fprintf(stderr, "usage: imbalance [THREADS [MILLISECONDS [TURNS [sleep]]]]\n");
        return 2;
    }
    for (int turn = 0; turn < turns; turn++) {
        work(threads, duration, argc > 4, worked);
    }
    for (int i = 0; i < threads; i++) {
        printf("note work %d %.9f %.9f\n", i, duration * turns * (i == 1 ? 2 : 1), worked[i]);
    }
    return report();
}

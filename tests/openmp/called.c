// A library with regions, to be called from Python (ctypes) or from a program that opens and closes
// it.
#include "constructs.h"

#define CALLED __attribute__((visibility("default"), noinline))

// One region of so many threads; gives how many there were.
CALLED int called_region(int threads) {
    int members = 0;
    MEET("parallel");
#pragma omp parallel num_threads(threads) reduction(+ : members)
    {
        be_member();
        members++;
    }
    return members;
}

// A sum, by a loop of many threads.
CALLED double called_sum(const double *numbers, long count) {
    double sum = 0;
    COUNT("parallel");
    COUNT_BY("loop_static", 2);
    COUNT_BY("iterations", count);
    COUNT_BY("members_unseen", 2);
#pragma omp parallel for num_threads(2) reduction(+ : sum) schedule(static)
    for (long i = 0; i < count; i++) {
        sum += numbers[i];
    }
    return sum;
}

// Each thread of a region calls back.
CALLED int called_back(int threads, void (*call)(int)) {
    MEET("parallel");
#pragma omp parallel num_threads(threads)
    {
        be_member();
        call(omp_get_thread_num());
    }
    return threads;
}

static int tasks_wanted;
static atomic_int tasks_done;

static void make_tasks(void) {
    for (int i = 0; i < tasks_wanted; i++) {
        COUNT("task");
#pragma omp task
        {
            COUNT("task_done");
            tasks_done++;
        }
    }
}

// Tasks that the calling thread makes; gives how many were done.
CALLED int called_tasks(int tasks) {
    tasks_wanted = tasks;
    tasks_done = 0;
    one_of_team(2, make_tasks);
    return tasks_done;
}

// Prints what was counted.
CALLED int called_report(void) {
    return report();
}

// Tasks that may run in any order, but not together: mutexinoutset.
#include "constructs.h"

static int value;

static void work(void) {
    for (int i = 0; i < 10; i++) {
        COUNT("task");
        COUNT("task_dependent");
        COUNT("dependence_mutexinoutset");
#pragma omp task depend(mutexinoutset : value)
        {
            COUNT("task_done");
            value++;
        }
    }
}

int main(void) {
    one_of_team(2, work);
    return value == 10 ? report() : 1;
}

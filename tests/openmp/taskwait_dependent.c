// A wait for the tasks that wrote a value, and for no others.
#include "constructs.h"

static int value;

static void work(void) {
    COUNT("task");
    COUNT("task_dependent");
    COUNT("dependence_out");
#pragma omp task depend(out : value)
    {
        COUNT("task_done");
        value = 5;
    }
    COUNT("taskwait_dependent");
    COUNT("dependence_in");
#pragma omp taskwait depend(in : value)
    if (value != 5) {
        abort();
    }
}

int main(void) {
    one_of_team(2, work);
    return report();
}

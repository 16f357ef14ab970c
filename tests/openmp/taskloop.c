// Loops that become tasks: so many tasks, or so many iterations in each.
#include "constructs.h"

static void work(void) {
    COUNT("taskgroup");
    COUNT("taskloop");
    COUNT_BY("task", 8);
    COUNT_BY("task_done", 8);
#pragma omp taskloop num_tasks(8)
    for (int i = 0; i < 40; i++) {
        COUNT("taskloop_iterations");
    }
    COUNT("taskloop");
    COUNT_BY("task", 10);
    COUNT_BY("task_done", 10);
#pragma omp taskloop grainsize(4) nogroup
    for (int i = 0; i < 40; i++) {
        COUNT("taskloop_iterations");
    }
}

int main(void) {
    one_of_team(2, work);
    return report();
}

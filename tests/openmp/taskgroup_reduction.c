// A reduction over the tasks of a group.
#include "constructs.h"

static int sum;

static void work(void) {
    COUNT("taskgroup");
#pragma omp taskgroup task_reduction(+ : sum)
    {
        for (int i = 0; i < 10; i++) {
            COUNT("task");
#pragma omp task in_reduction(+ : sum)
            {
                COUNT("task_done");
                sum += i;
            }
        }
    }
}

int main(void) {
    one_of_team(2, work);
    return sum == 45 ? report() : 1;
}

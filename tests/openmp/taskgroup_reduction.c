// A reduction over the tasks of a group.
#include "counting.h"

int main(void) {
    int sum = 0;
    MEET("parallel");
#pragma omp parallel num_threads(2)
    {
        be_member();
        bool mine = false;
#pragma omp single
        {
            mine = true;
            COUNT("single_executor");
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
        COUNT_BY("single_other", !mine);
        COUNT("barrier_implicit");
    }
    return sum == 45 ? report() : 1;
}

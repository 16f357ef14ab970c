// A wait for the tasks that wrote a value, and for no others.
#include "counting.h"

int main(void) {
    int value = 0;
    MEET("parallel");
#pragma omp parallel num_threads(2)
    {
        be_member();
        bool mine = false;
#pragma omp single
        {
            mine = true;
            COUNT("single_executor");
            COUNT("task");
            COUNT("task_dependent");
            COUNT("dependence_out");
#pragma omp task depend(out : value) shared(value)
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
        COUNT_BY("single_other", !mine);
        COUNT("barrier_implicit");
    }
    return report();
}

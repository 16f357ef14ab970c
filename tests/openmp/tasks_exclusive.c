// Tasks that may run in any order, but not together: mutexinoutset.
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
            for (int i = 0; i < 10; i++) {
                COUNT("task");
                COUNT("task_dependent");
                COUNT("dependence_mutexinoutset");
#pragma omp task depend(mutexinoutset : value) shared(value)
                {
                    COUNT("task_done");
                    value++;
                }
            }
        }
        COUNT_BY("single_other", !mine);
        COUNT("barrier_implicit");
    }
    return value == 10 ? report() : 1;
}

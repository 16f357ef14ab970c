// Tasks that wait for others: a chain, and what reads side by side.
#include "counting.h"

int main(void) {
    int value = 0;
    int seen[4] = {0};
    MEET("parallel");
#pragma omp parallel num_threads(3)
    {
        be_member();
        bool mine = false;
#pragma omp single
        {
            mine = true;
            COUNT("single_executor");
            for (int turn = 0; turn < 5; turn++) {
                COUNT("task");
                COUNT("task_dependent");
                COUNT("dependence_out");
#pragma omp task depend(out : value) shared(value)
                {
                    COUNT("task_done");
                    value = turn;
                }
                for (int i = 0; i < 4; i++) {
                    COUNT("task");
                    COUNT("task_dependent");
                    COUNT("dependence_in");
                    COUNT("dependence_out");
#pragma omp task depend(in : value) depend(out : seen[i]) shared(value, seen)
                    {
                        COUNT("task_done");
                        seen[i] = value;
                    }
                }
                COUNT("task");
                COUNT("task_dependent");
                COUNT("dependence_inout");
#pragma omp task depend(inout : value) shared(value)
                {
                    COUNT("task_done");
                    value++;
                }
            }
        }
        COUNT_BY("single_other", !mine);
        COUNT("barrier_implicit");
    }
    return value == 5 && seen[3] == 4 ? report() : 1;
}

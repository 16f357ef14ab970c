// Tasks that wait for others: a chain, and what reads side by side.
#include "constructs.h"

static int value;
static int seen[4];

static void work(void) {
    for (int turn = 0; turn < 5; turn++) {
        COUNT("task");
        COUNT("task_dependent");
        COUNT("dependence_out");
#pragma omp task depend(out : value)
        {
            COUNT("task_done");
            value = turn;
        }
        for (int i = 0; i < 4; i++) {
            COUNT("task");
            COUNT("task_dependent");
            COUNT("dependence_in");
            COUNT("dependence_out");
#pragma omp task depend(in : value) depend(out : seen[i])
            {
                COUNT("task_done");
                seen[i] = value;
            }
        }
        COUNT("task");
        COUNT("task_dependent");
        COUNT("dependence_inout");
#pragma omp task depend(inout : value)
        {
            COUNT("task_done");
            value++;
        }
    }
}

int main(void) {
    one_of_team(3, work);
    return value == 5 && seen[3] == 4 ? report() : 1;
}

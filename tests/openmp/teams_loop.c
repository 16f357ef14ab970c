// One construct that is all of them: teams distribute parallel for.
#include "counting.h"

int main(void) {
    int done = 0;
    COUNT("league");
    COUNT_BY("teams", 2);
    COUNT_BY("parallel", 4);
    COUNT_BY("barrier_more", 2);
    COUNT_BY("members_any", 1);
    COUNT_BY("loop_any", 1);
    COUNT_BY("iterations_any", 1);
    COUNT_BY("distribute_any", 1);
    COUNT_BY("reduction_any", 1);
#pragma omp teams distribute parallel for num_teams(2) reduction(+ : done)
    for (int i = 0; i < 64; i++) {
        done++;
    }
    return done == 64 ? report() : 1;
}

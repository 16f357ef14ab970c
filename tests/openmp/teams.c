// A league of teams on the host, and a loop that is shared over all of it.
#include "counting.h"

int main(void) {
    COUNT("league");
#pragma omp teams num_teams(2)
    {
        COUNT("teams");
        COUNT("barrier_more");
        // The runtime starts each team as a region of one thread, and the program one in it.
        COUNT_BY("parallel", 2);
        COUNT("members_unseen");
#pragma omp parallel num_threads(2)
        { COUNT("members_unseen"); }
        COUNT("distribute");
#pragma omp distribute
        for (int i = 0; i < 10; i++) {
            COUNT("distribute_iterations");
        }
    }
    return report();
}

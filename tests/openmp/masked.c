// What a chosen thread of a team does alone.
#include "counting.h"

int main(void) {
    MEET("parallel");
#pragma omp parallel num_threads(3)
    {
        be_member();
        for (int turn = 0; turn < 6; turn++) {
#pragma omp masked filter(turn % 3)
            {
                COUNT("masked");
                if (omp_get_thread_num() != turn % 3) {
                    abort();
                }
            }
        }
    }
    return report();
}

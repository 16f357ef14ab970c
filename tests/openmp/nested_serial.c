// Regions in regions where only one level may have many threads: the inner ones have one each.
#include "constructs.h"

int main(void) {
    omp_set_max_active_levels(1);
    MEET("parallel");
#pragma omp parallel num_threads(3)
    {
        be_member();
        for (int turn = 0; turn < 2; turn++) {
            MEET("parallel");
#pragma omp parallel num_threads(4)
            {
                be_member();
                shared_loop(10);
            }
        }
    }
    return report();
}

// Teams that become smaller and larger.
#include "constructs.h"

int main(void) {
    static const int sizes[] = {4, 2, 3, 1, 4, 8, 2};
    for (unsigned turn = 0; turn < sizeof sizes / sizeof *sizes; turn++) {
        MEET("parallel");
#pragma omp parallel num_threads(sizes[turn])
        {
            be_member();
            shared_loop(24);
        }
    }
    return report();
}

// Critical regions, with and without a name.
#include "counting.h"

int main(void) {
    int one = 0;
    int other = 0;
    MEET("parallel");
#pragma omp parallel num_threads(3)
    {
        be_member();
        for (int turn = 0; turn < 10; turn++) {
            COUNT("critical");
#pragma omp critical
            { one++; }
            COUNT("critical");
#pragma omp critical(named)
            { other++; }
        }
    }
    return one == 30 && other == 30 ? report() : 1;
}

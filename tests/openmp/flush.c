// Flushes, which are not recorded unless asked for, and simd, which is nothing to the runtime.
#include "counting.h"

int main(void) {
    int ready = 0;
    float numbers[64];
    MEET("parallel");
#pragma omp parallel num_threads(2)
    {
        be_member();
        for (int turn = 0; turn < 5; turn++) {
            COUNT("flush");
#pragma omp flush
#pragma omp flush(ready)
        }
    }
#pragma omp simd
    for (int i = 0; i < 64; i++) {
        numbers[i] = (float)i;
    }
    return numbers[5] == 5 && ready == 0 ? report() : 1;
}

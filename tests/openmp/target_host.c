// Target constructs where there is no device: the host does them.
#include "counting.h"

int main(void) {
    int numbers[100];
#pragma omp target map(from : numbers)
    {
        COUNT("parallel");
        COUNT_BY("members_unseen", 2);
        COUNT_BY("loop_static", 2);
        COUNT_BY("iterations", 100);
#pragma omp parallel for num_threads(2) schedule(static)
        for (int i = 0; i < 100; i++) {
            numbers[i] = i;
        }
    }
    return numbers[99] == 99 ? report() : 1;
}

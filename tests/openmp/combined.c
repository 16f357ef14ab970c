// The constructs that are two in one.
#include "counting.h"

int main(void) {
    long sum = 0;
    MEET("parallel");
#pragma omp parallel for num_threads(2) reduction(+ : sum)
    for (int i = 0; i < 30; i++) {
        COUNT("iterations");
        sum += i;
    }
    COUNT_BY("reduction_any", 2);
    COUNT_BY("loop_static", 2);
    MEET("parallel");
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        COUNT("sections_done");
#pragma omp section
        COUNT("sections_done");
    }
    COUNT_BY("sections", 2);
    COUNT_BY("members_unseen", 4);
    return sum == 435 ? report() : 1;
}

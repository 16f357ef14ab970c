// Reductions: of a region, and of a loop.
#include "counting.h"

int main(void) {
    long sum = 0;
    double product = 1;
    MEET("parallel");
#pragma omp parallel num_threads(3) reduction(+ : sum)
    {
        be_member();
        COUNT("reduction_any");
        sum += omp_get_thread_num();
    }
    MEET("parallel");
#pragma omp parallel num_threads(2)
    {
        be_member();
        COUNT("reduction_any");
        MEET("loop_static");
#pragma omp for reduction(+ : sum) reduction(* : product)
        for (int i = 0; i < 40; i++) {
            COUNT("iterations");
            sum += i;
            product *= 1;
        }
        COUNT("barrier_implicit");
        COUNT("barrier_more");
    }
    return sum == 783 && product == 1 ? report() : 1;
}

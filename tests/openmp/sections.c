// More sections than threads, and fewer.
#include "counting.h"

int main(void) {
    MEET("parallel");
#pragma omp parallel num_threads(2)
    {
        be_member();
        COUNT("sections");
#pragma omp sections
        {
#pragma omp section
            COUNT("sections_done");
#pragma omp section
            COUNT("sections_done");
#pragma omp section
            COUNT("sections_done");
#pragma omp section
            COUNT("sections_done");
#pragma omp section
            COUNT("sections_done");
        }
        COUNT("barrier_implicit");
        COUNT("sections");
#pragma omp sections nowait
        {
#pragma omp section
            COUNT("sections_done");
        }
    }
    return report();
}

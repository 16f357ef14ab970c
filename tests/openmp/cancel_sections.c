// Sections that are cancelled. Environment: OMP_CANCELLATION=true
#include "counting.h"

int main(void) {
    MEET("parallel");
#pragma omp parallel num_threads(2)
    {
        be_member();
        COUNT("sections");
        COUNT("barrier_implicit");
#pragma omp sections
        {
#pragma omp section
            {
                COUNT("cancel_activated");
#pragma omp cancel sections
            }
#pragma omp section
            {
#pragma omp cancellation point sections
            }
        }
    }
    COUNT_BY("sections_done", 2); // they were to be
    return report();
}

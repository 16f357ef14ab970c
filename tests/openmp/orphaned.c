// Worksharing in a function that a region calls, and the same function called outside of any.
#include "constructs.h"

int main(void) {
    shared_loop(10);
    MEET("parallel");
#pragma omp parallel num_threads(2)
    {
        be_member();
        shared_loop(30);
    }
    return report();
}

// One thread does it and gives what it has to the others.
#include "counting.h"

int main(void) {
    MEET("parallel");
#pragma omp parallel num_threads(2)
    {
        be_member();
        int value;
        bool mine = false;
#pragma omp single copyprivate(value)
        {
            mine = true;
            value = 42;
            COUNT("single_executor");
        }
        COUNT_BY("single_other", !mine);
        if (value != 42) {
            abort();
        }
        COUNT_BY("barrier_more", 1);
    }
#ifndef __clang__
    COUNT("single_executor_any"); // gcc's entry point for it tells nothing
    COUNT("single_other_any");
#endif
    return report();
}

// Tasks that make tasks and wait for them.
#include "counting.h"

static int fibonacci(int n) {
    int a;
    int b;
    if (n < 2) {
        return n;
    }
    COUNT("task");
#pragma omp task shared(a)
    {
        COUNT("task_done");
        a = fibonacci(n - 1);
    }
    COUNT("task");
#pragma omp task shared(b)
    {
        COUNT("task_done");
        b = fibonacci(n - 2);
    }
    MEET("taskwait");
#pragma omp taskwait
    return a + b;
}

int main(void) {
    int result = 0;
    MEET("parallel");
#pragma omp parallel num_threads(3)
    {
        be_member();
        bool mine = false;
#pragma omp single
        {
            mine = true;
            COUNT("single_executor");
            result = fibonacci(9);
        }
        COUNT_BY("single_other", !mine);
        COUNT("barrier_implicit");
    }
    return result == 34 ? report() : 1;
}

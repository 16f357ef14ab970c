// Tasks that make tasks and wait for them.
#include "constructs.h"

static int result;

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

static void work(void) {
    result = fibonacci(9);
}

int main(void) {
    one_of_team(3, work);
    return result == 34 ? report() : 1;
}

// Tasks that are over when an event says so, and tasks with priorities.
#include "counting.h"

int main(void) {
    MEET("parallel");
#pragma omp parallel num_threads(2)
    {
        be_member();
        bool mine = false;
#pragma omp single
        {
            mine = true;
            COUNT("single_executor");
            for (int i = 0; i < 5; i++) {
                omp_event_handle_t event;
                COUNT("task");
                COUNT("task_detached");
#pragma omp task detach(event)
                { COUNT("task_done"); }
                COUNT("task");
#pragma omp task priority(2) firstprivate(event)
                {
                    COUNT("task_done");
                    omp_fulfill_event(event);
                }
            }
        }
        COUNT_BY("single_other", !mine);
        COUNT("barrier_implicit");
    }
    return report();
}

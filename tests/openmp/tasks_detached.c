// Tasks that are over when an event says so, and tasks with priorities.
#include "constructs.h"

static void work(void) {
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

int main(void) {
    one_of_team(2, work);
    return report();
}

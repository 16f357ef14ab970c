/* The finalisation guard; see finalisation_guard.h. */
#include "tracer/python/finalisation_guard.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool shut;

bool pinsight_interpreter_enter(void) {
    pthread_mutex_lock(&lock);
    if (!shut)
        return true;
    pthread_mutex_unlock(&lock);
    return false;
}

void pinsight_interpreter_leave(void) {
    pthread_mutex_unlock(&lock);
}

void pinsight_interpreter_shut(void) {
    pthread_mutex_lock(&lock);
    shut = true;
    pthread_mutex_unlock(&lock);
}

void pinsight_interpreter_fork_child(void) {
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

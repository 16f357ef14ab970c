/* The lock of free-threaded builds; see serial.h. */
#include "tracer/python/serial.h"

#if !PINSIGHT_HAS_GIL

#include "tracer/python/versions.h"

#include <string.h>

static PyMutex mutex;
static __thread unsigned depth; /* number of times that this thread has taken the lock */
static __thread bool waits;
static bool alone; /* under the lock */

void pinsight_serial_begin(void) {
    if (depth++ > 0)
        return;
    waits = true;
    PyMutex_Lock(&mutex);
    waits = false;
}

void pinsight_serial_end(void) {
    if (--depth == 0)
        PyMutex_Unlock(&mutex);
}

bool pinsight_serial_waits(void) {
    return waits;
}

unsigned pinsight_serial_let_go(void) {
    unsigned had = depth;
    if (had) {
        depth = 1;
        pinsight_serial_end();
    }
    return had;
}

void pinsight_serial_take_back(unsigned had) {
    if (had) {
        pinsight_serial_begin();
        depth = had;
    }
}

void pinsight_serial_fork_child(void) {
    memset(&mutex, 0, sizeof mutex);
    depth = 0;
    waits = alone = false;
}

struct visit {
    void (*work)(void *);
    void *data;
};

/* Calls the work at the first object. */
static int at_object(PyObject *object, void *data) {
    struct visit *visit = data;
    (void)object;
    if (visit->work)
        visit->work(visit->data);
    visit->work = NULL;
    return 0; /* ends the visit */
}

/* PyUnstable_GC_VisitObjects() stops all threads of the interpreter. No other function of the API
 * does so in every version. */
void pinsight_alone(void (*work)(void *), void *data) {
    struct visit visit = {work, data};
    pinsight_serial_begin();
    if (alone) {
        work(data);
    } else {
        alone = true;
        PyUnstable_GC_VisitObjects(at_object, &visit);
        alone = false;
    }
    pinsight_serial_end();
}

struct each {
    void (*visit)(struct pinsight_core_thread *thread, void *data);
    void *data;
};

static void each(void *data) {
    const struct each *each = data;
    pinsight_thread_each(each->visit, each->data);
}

void pinsight_each_thread_stopped(void (*visit)(struct pinsight_core_thread *thread, void *data),
                                  void *data) {
    struct each all = {visit, data};
    pinsight_alone(each, &all);
}

#endif

/* The living tasks; see task_table.h. */
#include "tracer/python/task_table.h"

#include "tracer/python/domain.h"

#include <stdlib.h>

/* Tables by address, and by the awaited future, of the same size. */
static struct pinsight_living_task **by_object, **by_awaited;
static size_t places, count;
static uint32_t last_number;

static size_t hash(const void *object) {
    return (size_t)((uint64_t)(uintptr_t)object * UINT64_C(0x9E3779B97F4A7C15) >> 20);
}

static struct pinsight_living_task **place_of(struct pinsight_living_task **table,
                                              const void *object) {
    return &table[hash(object) & (places - 1)];
}

struct pinsight_living_task *pinsight_living_task_find(const void *object) {
    struct pinsight_living_task *task = places ? *place_of(by_object, object) : NULL;
    while (task && task->object != object)
        task = task->next;
    return task;
}

static bool grow(void) {
    size_t before = places, more = places ? places * 2 : 256;
    struct pinsight_living_task **objects = calloc(more, sizeof *objects),
                                **awaited = calloc(more, sizeof *awaited);
    if (!objects || !awaited) {
        free(objects);
        free(awaited);
        return false;
    }
    struct pinsight_living_task **old = by_object;
    free(by_awaited);
    by_object = objects;
    by_awaited = awaited;
    places = more;
    for (size_t i = 0; i < before; i++) {
        for (struct pinsight_living_task *task = old[i], *next; task; task = next) {
            struct pinsight_living_task **place = place_of(by_object, task->object);
            next = task->next;
            task->next = *place;
            *place = task;
            if (!task->awaited)
                continue;
            place = place_of(by_awaited, task->awaited);
            task->next_awaited = *place;
            *place = task;
        }
    }
    free(old);
    return true;
}

void pinsight_living_task_waits_for(struct pinsight_living_task *task, const void *future) {
    if (task->awaited) {
        struct pinsight_living_task **place = place_of(by_awaited, task->awaited);
        while (*place != task)
            place = &(*place)->next_awaited;
        *place = task->next_awaited;
    }
    task->awaited = future;
    if (future) {
        struct pinsight_living_task **place = place_of(by_awaited, future);
        task->next_awaited = *place;
        *place = task;
    }
}

static struct pinsight_living_task *waiting_from(struct pinsight_living_task *task,
                                                 const void *future) {
    while (task && task->awaited != future)
        task = task->next_awaited;
    return task;
}

struct pinsight_living_task *pinsight_living_task_waiting(const void *future) {
    return places ? waiting_from(*place_of(by_awaited, future), future) : NULL;
}

struct pinsight_living_task *pinsight_living_task_waiting_next(struct pinsight_living_task *task) {
    return waiting_from(task->next_awaited, task->awaited);
}

struct pinsight_living_task *pinsight_living_task_add(const void *object) {
    struct pinsight_living_task *task = count < places || grow() ? calloc(1, sizeof *task) : NULL;
    if (!task)
        return NULL;
    struct pinsight_living_task **place = place_of(by_object, object);
    *task =
        (struct pinsight_living_task){.object = object, .number = ++last_number, .next = *place};
    *place = task;
    count++;
    pinsight_python.cost.tasks++;
    return task;
}

void pinsight_living_task_drop(struct pinsight_living_task *task) {
    struct pinsight_living_task **place = place_of(by_object, task->object);
    pinsight_living_task_waits_for(task, NULL);
    while (*place != task)
        place = &(*place)->next;
    *place = task->next;
    count--;
    free(task);
}

void pinsight_living_tasks_forget(void) {
    for (size_t i = 0; i < places; i++)
        while (by_object[i])
            pinsight_living_task_drop(by_object[i]);
    last_number = 0;
}

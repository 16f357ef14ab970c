/* Events of OpenMP. Each is recorded in a thread of its own, so that a trace has the contexts that
 * a real team's has; the lines of a script are carried out one after another all the same. */
#include "tracegen_openmp.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracer/record/openmp.h"

#define THREADS 16

static struct thread {
    bool running;
    uint32_t number;
    char **words;
    sem_t start, done;
} threads[THREADS];

static uint64_t number_of(char **words, int i) {
    return words[i] ? strtoull(words[i], NULL, 0) : 0;
}

#define N(i) number_of(words, i)
/* The fields that all have: the region is the second word. */
#define COMMON(task) n, 0, n, N(2), task, UINT64_C(0x1000)

static void sync_event(char **words, uint32_t n) {
    if (!strcmp(words[1], "bb"))
        pinsight_record_openmp_barrier_implicit_sync_begin(COMMON(0), (uint8_t)N(3));
    else if (!strcmp(words[1], "be"))
        pinsight_record_openmp_barrier_implicit_sync_end(COMMON(0), (uint8_t)N(3));
    else if (!strcmp(words[1], "jb"))
        pinsight_record_openmp_barrier_implicit_begin(COMMON(0), (uint8_t)N(3));
    else if (!strcmp(words[1], "je"))
        pinsight_record_openmp_barrier_implicit_end(COMMON(0), (uint8_t)N(3), (uint8_t)N(4));
    else if (!strcmp(words[1], "xb"))
        pinsight_record_openmp_barrier_explicit_sync_begin(COMMON(0), 0);
    else if (!strcmp(words[1], "xe"))
        pinsight_record_openmp_barrier_explicit_sync_end(COMMON(0), 0);
    else if (!strcmp(words[1], "ca"))
        pinsight_record_openmp_critical_acquire(COMMON(0), 5, 0x77, 0);
    else if (!strcmp(words[1], "ch"))
        pinsight_record_openmp_critical_acquired(COMMON(0), 5, 0x77, 0);
    else if (!strcmp(words[1], "cr"))
        pinsight_record_openmp_critical_released(COMMON(0), 5, 0x77, 0);
    else
        fprintf(stderr, "tracegen: unknown word %s\n", words[1]);
}

static void event(char **words, uint32_t n) {
    if (!strcmp(words[1], "tb"))
        pinsight_record_openmp_thread_begin(n, (uint8_t)N(2));
    else if (!strcmp(words[1], "pb"))
        pinsight_record_openmp_parallel_begin(n, 0, 0, N(2), N(3), N(4), 2, 0, (uint32_t)N(5));
    else if (!strcmp(words[1], "pe"))
        pinsight_record_openmp_parallel_end(n, 0, 0, N(2), 0, 0);
    else if (!strcmp(words[1], "ib"))
        pinsight_record_openmp_implicit_task_begin(COMMON(N(3)), (uint32_t)N(4), 0);
    else if (!strcmp(words[1], "in"))
        pinsight_record_openmp_implicit_task_next(COMMON(N(3)), (uint32_t)N(4), 0);
    else if (!strcmp(words[1], "ie"))
        pinsight_record_openmp_implicit_task_end(COMMON(N(3)));
    else if (!strcmp(words[1], "tc"))
        pinsight_record_openmp_task_create(
            &(struct pinsight_record_openmp_task_create){.global_thread_num = n,
                                                         .omp_thread_num = n,
                                                         .parallel_id = N(2),
                                                         .task_id = N(3),
                                                         .parallel_codeptr = 0x1000,
                                                         .new_task_id = N(4),
                                                         .flags = 4,
                                                         .codeptr = 0x2000,
                                                         .py_path = (uint32_t)N(5)});
    else if (!strcmp(words[1], "ts"))
        pinsight_record_openmp_task_schedule(COMMON(N(3)), N(4), (uint8_t)N(5));
    else
        sync_event(words, n);
}

static void *thread_main(void *data) {
    struct thread *thread = data;

    for (;;) {
        sem_wait(&thread->start);
        event(thread->words, thread->number);
        sem_post(&thread->done);
    }
    return NULL;
}

bool tracegen_openmp(char **words) {
    unsigned number = words[0][0] == '@' ? (unsigned)strtoul(words[0] + 1, NULL, 10) : THREADS;
    struct thread *thread = &threads[number % THREADS];
    pthread_t created;

    if (number >= THREADS || !words[1])
        return false;
    if (!number) {
        event(words, 0);
        return true;
    }
    if (!thread->running) {
        thread->running = true;
        thread->number = number;
        sem_init(&thread->start, 0, 0);
        sem_init(&thread->done, 0, 0);
        if (pthread_create(&created, NULL, thread_main, thread) != 0)
            abort();
        pthread_detach(created);
    }
    thread->words = words;
    sem_post(&thread->start);
    sem_wait(&thread->done);
    return true;
}

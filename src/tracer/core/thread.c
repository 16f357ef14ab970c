/* The state of a thread; see thread.h. */
#include "tracer/core/thread.h"

#include "base/list.h"
#include "tracer/core/info.h"
#include "tracer/core/process.h"
#include "tracer/record/recorder.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Recursive, because a visit of all threads may start another. */
static pthread_mutex_t list_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static struct pinsight_core_thread *list_head;
static _Atomic int32_t next_python_number = 1;

static pthread_key_t end_key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

static void list_remove(struct pinsight_core_thread *thread) {
    pthread_mutex_lock(&list_lock);
    PINSIGHT_LIST_REMOVE(list_head, thread, next, previous);
    pthread_mutex_unlock(&list_lock);
}

static void thread_free(struct pinsight_core_thread *thread) {
    PINSIGHT_EACH_DOMAIN(domain) {
        if (domain->thread_free && thread->state[domain->slot])
            domain->thread_free(thread->state[domain->slot]);
    }
    pinsight_count_free(&thread->counts);
    free(thread);
}

/* Called by the C library when the thread ends. */
static void thread_end(void *argument) {
    struct pinsight_core_thread *thread = argument;
    pinsight_thread_show();
    PINSIGHT_EACH_DOMAIN(domain) {
        if (domain->thread_end && thread->state[domain->slot])
            domain->thread_end(thread, thread->state[domain->slot]);
    }
    list_remove(thread);
    pinsight_recorded_thread_end();
    if (pinsight_recorder->thread_end)
        pinsight_recorder->thread_end();
    pinsight_tls_end();
    thread_free(thread);
}

static void make_key(void) {
    pthread_key_create(&end_key, thread_end);
}

struct pinsight_core_thread *pinsight_thread_get(void) {
    struct pinsight_core_thread *thread = pinsight_thread_there();
    if (thread || pinsight_tls()->ended)
        return thread;
    if (!pinsight_tls_own() || !(thread = pinsight_lines_new(sizeof *thread)))
        return NULL;
    thread->tid = (uint32_t)syscall(SYS_gettid);
    thread->python_thread_id = -1;
    thread->start = pinsight_thread_start_here();
    pinsight_count_start(&thread->counts, thread->tid);
    if (pinsight_recorder->thread_begin)
        pinsight_recorder->thread_begin();
    pinsight_recorded_thread_begin();
    thread->recorded = pinsight_tls()->recorded;

    pthread_once(&key_once, make_key);
    pthread_setspecific(end_key, thread);
    pthread_mutex_lock(&list_lock);
    PINSIGHT_LIST_ADD(list_head, thread, next, previous);
    pthread_mutex_unlock(&list_lock);

    pinsight_tls()->thread = thread;
    pinsight_info_process();
    return thread;
}

void pinsight_thread_each(void (*visit)(struct pinsight_core_thread *thread, void *data),
                          void *data) {
    pthread_mutex_lock(&list_lock);
    for (struct pinsight_core_thread *thread = list_head; thread; thread = thread->next)
        visit(thread, data);
    pthread_mutex_unlock(&list_lock);
}

void pinsight_thread_set_name(struct pinsight_core_thread *thread, const char *name) {
    size_t length = strnlen(name, sizeof thread->name - 1);
    while (length > 0 && ((unsigned char)name[length] & 0xc0) == 0x80)
        length--;
    pthread_mutex_lock(&list_lock);
    memcpy(thread->name, name, length);
    thread->name[length] = '\0';
    pthread_mutex_unlock(&list_lock);
}

void pinsight_thread_number(struct pinsight_core_thread *thread) {
    if (thread->python_thread_id >= 0)
        return;
    if (thread->tid == (uint32_t)pinsight_process.pid)
        thread->python_thread_id = 0;
    else
        thread->python_thread_id = atomic_fetch_add(&next_python_number, 1);
    pinsight_count_renumber(&thread->counts, thread->python_thread_id);
}

int32_t pinsight_thread_next_number(void) {
    return atomic_load(&next_python_number);
}

void pinsight_thread_fork_child(void) {
    /* Another thread, which the child lacks, may have held the lock at the fork. */
    list_lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    struct pinsight_core_thread *thread = list_head;
    while (thread) {
        struct pinsight_core_thread *next = thread->next;
        thread_free(thread);
        thread = next;
    }
    list_head = NULL;
    atomic_store(&next_python_number, 1);
    if (pinsight_thread_there()) {
        struct pinsight_tls *tls = pinsight_tls();
        tls->thread = tls->hidden = NULL;
        memset(tls->domains, 0, sizeof tls->domains);
    }
    pthread_once(&key_once, make_key);
    pthread_setspecific(end_key, NULL);
}

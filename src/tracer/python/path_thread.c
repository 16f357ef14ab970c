/* The state of threads that ask for their call paths, and the end of all; see path.h. */
#include "base/list.h"
#include "tracer/core/log.h"
#include "tracer/core/process.h"
#include "tracer/python/path.h"
#include "tracer/python/path_pages.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FIRST_ROOM 64u
/* The longest wait of the end for a thread. A definition that the thread records may wait for 2 s.
 */
#define PATIENCE_NS 3000000000u
#define LOOK_NS 50000u

PINSIGHT_PATH_NEAR static pthread_mutex_t lock =
    PTHREAD_MUTEX_INITIALIZER;                                /* for code objects and the tree */
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER; /* for the list of threads */
static struct pinsight_path_thread *list_head;
static pthread_key_t end_key;
static bool has_key;
static _Atomic bool open_now;
static bool ended; /* set for good; under the list's lock */

static __thread struct pinsight_path_thread *own;

void pinsight_path_lock(void) {
    pthread_mutex_lock(&lock);
}

void pinsight_path_unlock(void) {
    pthread_mutex_unlock(&lock);
}

bool pinsight_path_is_open(void) {
    return atomic_load(&open_now);
}

/* ---- threads ---- */

static void thread_free(struct pinsight_path_thread *thread) {
    free(thread->levels);
    free(thread->others);
    free(thread);
}

/* Called by the C library at the end of a thread. */
static void thread_end(void *argument) {
    struct pinsight_path_thread *thread = argument;
    own = NULL;
    pthread_mutex_lock(&list_lock);
    PINSIGHT_LIST_REMOVE(list_head, thread, next, previous);
    pthread_mutex_unlock(&list_lock);
    thread_free(thread);
}

static struct pinsight_path_thread *thread_new(void) {
    struct pinsight_path_thread *thread = calloc(1, sizeof *thread);
    if (!thread)
        return NULL;
    if (pthread_setspecific(end_key, thread) != 0) {
        free(thread);
        return NULL;
    }
    pthread_mutex_lock(&list_lock);
    PINSIGHT_LIST_ADD(list_head, thread, next, previous);
    pthread_mutex_unlock(&list_lock);
    own = thread;
    return thread;
}

struct pinsight_path_thread *pinsight_path_thread(void) {
    struct pinsight_path_thread *thread = own;
    return thread ? thread : thread_new();
}

/* Returns a larger array with the existing levels at its end. */
static struct pinsight_path_level *larger(const struct pinsight_path_level *levels, uint32_t count,
                                          uint32_t room) {
    struct pinsight_path_level *more = malloc(room * sizeof *more);
    if (more && count)
        memcpy(more + room - count, levels, count * sizeof *more);
    return more;
}

bool pinsight_path_thread_grow(struct pinsight_path_thread *thread) {
    uint32_t room = thread->room ? thread->room * 2 : FIRST_ROOM;
    if (room > PINSIGHT_PATH_DEEPEST)
        return false;
    struct pinsight_path_level *levels = larger(thread->levels, thread->room, room);
    struct pinsight_path_level *others = larger(thread->others, thread->room, room);
    if (!levels || !others) {
        free(levels);
        free(others);
        return false;
    }
    free(thread->levels);
    free(thread->others);
    thread->levels = levels;
    thread->others = others;
    thread->room = room;
    return true;
}

/* ---- forks ---- */

static void before_fork(void) {
    pthread_mutex_lock(&list_lock);
    pthread_mutex_lock(&lock);
}

static void after_fork(void) {
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&list_lock);
}

/* Numbers continue in a child. Its session version is another one, so that everything is defined
 * again. */
static void after_fork_in_child(void) {
    struct pinsight_path_thread *thread = list_head;
    list_head = own;
    while (thread) {
        struct pinsight_path_thread *next = thread->next;
        if (thread != own)
            thread_free(thread);
        thread = next;
    }
    if (own)
        own->next = own->previous = NULL;
    after_fork();
}

/* ---- start and end ---- */

bool pinsight_path_threads_start(void) {
    if (!has_key) {
        static struct pinsight_log_once failed = PINSIGHT_LOG_ONCE_INIT;
        if (pthread_key_create(&end_key, thread_end) != 0 ||
            pthread_atfork(before_fork, after_fork, after_fork_in_child) != 0) {
            pinsight_log_once(&failed,
                              "process %d has no room for thread data, so native events do not say "
                              "which Python caused them",
                              (int)pinsight_process.pid);
            return false;
        }
        has_key = true;
    }
    pthread_mutex_lock(&list_lock);
    if (!ended)
        atomic_store(&open_now, true);
    pthread_mutex_unlock(&list_lock);
    return pinsight_path_is_open();
}

void pinsight_path_threads_end(void) {
    const struct timespec look = {.tv_nsec = LOOK_NS};
    atomic_store(&open_now, false);
    pthread_mutex_lock(&list_lock);
    ended = true;
    uint64_t waited = 0;
    for (struct pinsight_path_thread *thread = list_head; thread; thread = thread->next) {
        while (atomic_load(&thread->inside) && waited < PATIENCE_NS) {
            nanosleep(&look, NULL);
            waited += LOOK_NS;
        }
    }
    pthread_mutex_unlock(&list_lock);
}

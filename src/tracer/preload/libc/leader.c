/*
 * The end of a process whose first thread ends before others.
 *
 * libc ends a process, with status 0, when its last thread ends (pthread_exit(3), "Notes"). The
 * thread that fork() leaves in a child is the child's first thread. If pthread_create() had started
 * it, as for Python's threads, the child ends that way. The threads of the recorder and of PInsight
 * would keep such a child alive, and its parent would wait for ever. Therefore a thread of PInsight
 * starts when the first thread has ended. The new thread ends the process as soon as none of the
 * program's threads is left.
 */
#include "libc.h"

#include "base/own_thread.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The pause between checks doubles from the first value to the second. */
#define LOOK_NS 5000000L
#define LOOK_MAX_NS 160000000L

static pthread_key_t key;
static atomic_bool have_key;

/* Returns whether a thread of the program still runs. The first thread stays in the list as a
 * zombie (field 3 of proc(5)'s stat). In a PID namespace without its own /proc, its number there is
 * not getpid(). */
static bool program_has_threads(void) {
    DIR *tasks = opendir("/proc/self/task");
    if (!tasks) {
        return true;
    }
    bool found = false;
    for (struct dirent *task; !found && (task = readdir(tasks));) {
        if (task->d_name[0] == '.') {
            continue;
        }
        found = !pinsight_task_is_tracers(task->d_name) && !pinsight_task_has_ended(task->d_name);
    }
    closedir(tasks);
    return found;
}

static void *end_with_the_last(void *unused) {
    (void)unused;
    struct timespec pause = {.tv_nsec = LOOK_NS};
    pthread_setname_np(pthread_self(), "pinsight-last");
    do {
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < LOOK_MAX_NS) {
            pause.tv_nsec *= 2;
        }
    } while (program_has_threads());
    exit(0);
}

/* Called by libc when the thread ends, but not when its process ends. */
static void on_thread_end(void *value) {
    (void)value;
    sigset_t all;
    sigset_t old;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    if (pinsight_own_thread_make(&thread, end_with_the_last, NULL)) {
        pthread_detach(thread);
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void pinsight_leader_ready(void) {
    if (pthread_key_create(&key, on_thread_end) == 0) {
        atomic_store(&have_key, true);
        if (syscall(SYS_gettid) == getpid()) {
            pinsight_leader_is_this();
        }
    }
}

void pinsight_leader_is_this(void) {
    if (atomic_load_explicit(&have_key, memory_order_acquire)) {
        pthread_setspecific(key, &key);
    }
}

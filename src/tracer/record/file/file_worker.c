/* Work with files that does not depend on the program's state; see file_worker.h. */
#include "tracer/record/file/file_worker.h"

#include "tracer/record/file/raw.h"
#include "tracer/record/file/recording.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STACK_BYTES = 64 << 10 };

enum state { IDLE, STARTS, ASKED, ENDS };

/* In pages that are zero in a forked child, which has no such thread. */
struct file_worker {
    pid_t pid; /* 0: a new child; another number: a child of vfork() */
    pid_t tid; /* the thread; 0: none */
    int lock;  /* held by the thread that asks */
    int state; /* threads that wait for its change sleep on it */
    void *stack;

    int (*work)(void *data);
    void *data;
    void *tls; /* thread-local memory of the thread that asks */
    int result;
};

static struct file_worker *worker;

void pinsight_file_worker_ready(void) {
    if (!worker)
        worker = pinsight_pages_wiped(sizeof *worker);
    if (worker && !worker->pid)
        worker->pid = getpid();
}

static struct file_worker *of_this_process(void) {
    return worker && worker->pid == getpid() ? worker : NULL;
}

#ifdef PINSIGHT_RAW

static inline __attribute__((always_inline)) PINSIGHT_RAW void wait_while(int *word, int value) {
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == value)
        pinsight_raw(SYS_futex, (long)word, FUTEX_WAIT_PRIVATE, value, 0);
}

static inline __attribute__((always_inline)) PINSIGHT_RAW void set(int *word, int value) {
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
    pinsight_raw(SYS_futex, (long)word, FUTEX_WAKE_PRIVATE, 1, 0);
}

/* Closes all descriptors, so that the program's files are not kept open. */
static PINSIGHT_RAW void close_all(void) {
#ifdef SYS_close_range
    if (pinsight_raw(SYS_close_range, 0, ~0u, 0, 0) == 0)
        return;
#endif
    struct rlimit limit = {0, 0};
    pinsight_raw(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, (long)&limit);
    for (long fd = 0; fd < (long)limit.rlim_cur; fd++)
        pinsight_raw(SYS_close, fd, 0, 0, 0);
}

/* The thread's function. The thread has no thread-local memory of its own. While it works for a
 * waiting thread, it uses that thread's. */
static PINSIGHT_RAW int serve(void *data) {
    struct file_worker *own = data;
    static const char thread_name[] = "pinsight-files";
    close_all();
    pinsight_raw(SYS_prctl, PR_SET_NAME, (long)thread_name, 0, 0);
    for (;;) {
        set(&own->state, IDLE);
        wait_while(&own->state, IDLE);
        if (__atomic_load_n(&own->state, __ATOMIC_ACQUIRE) == ENDS)
            pinsight_raw(SYS_exit, 0, 0, 0, 0);
        pinsight_raw_set_tls(own->tls);
        own->result = own->work(own->data);
    }
    return 0;
}

static bool make(struct file_worker *own) {
    own->stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (own->stack == MAP_FAILED)
        return false;
    madvise(own->stack, STACK_BYTES, MADV_DONTFORK);
    own->state = STARTS;
    pid_t tid = clone(serve, (char *)own->stack + STACK_BYTES,
                      CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM, own);
    if (tid < 0) {
        munmap(own->stack, STACK_BYTES);
        return false;
    }
    wait_while(&own->state, STARTS);
    own->tid = tid;
    return true;
}

static void unmake(struct file_worker *own) {
    set(&own->state, ENDS);
    /* Until the thread is gone, the process has more than one thread. */
    while (pinsight_raw(SYS_tgkill, own->pid, own->tid, 0, 0) == 0)
        sched_yield();
    munmap(own->stack, STACK_BYTES);
    own->tid = 0;
}

/* Takes the lock: only one thread asks at a time. Blocks signals, because a handler could ask,
 * too. */
static void take(struct file_worker *own, sigset_t *before) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, before);
    while (__atomic_exchange_n(&own->lock, 1, __ATOMIC_ACQUIRE))
        wait_while(&own->lock, 1);
}

static void give(struct file_worker *own, const sigset_t *before) {
    set(&own->lock, 0);
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* Has the thread do some work. The lock is held. */
static int ask_thread(struct file_worker *own, int (*work)(void *data), void *data) {
    own->work = work;
    own->data = data;
    own->tls = pinsight_raw_tls();
    set(&own->state, ASKED);
    wait_while(&own->state, ASKED);
    return own->result;
}

/* Has the thread do some work; makes the thread if necessary. Returns false if there is no
 * thread. */
static bool ask(struct file_worker *own, int (*work)(void *data), void *data, int *result) {
    sigset_t before;
    take(own, &before);
    bool is_there = own->tid || make(own);
    if (is_there)
        *result = ask_thread(own, work, data);
    give(own, &before);
    return is_there;
}

void pinsight_file_worker_start(void) {
    struct file_worker *own = of_this_process();
    int error = errno;
    sigset_t before;
    if (!own || !pinsight_recording.control)
        return;
    take(own, &before);
    if (!own->tid)
        make(own);
    give(own, &before);
    errno = error;
}

/* Returns whether the process has other threads than the calling one and the one that asks. */
static int has_more_threads(void *unused) {
    struct stat status;
    (void)unused;
    return stat("/proc/self/task", &status) == 0 && status.st_nlink > 2 + 2;
}

void pinsight_file_worker_end(void) {
    struct file_worker *own = of_this_process();
    int error = errno;
    sigset_t before;
    if (!own || !__atomic_load_n(&own->tid, __ATOMIC_RELAXED))
        return;
    take(own, &before);
    if (own->tid && !ask_thread(own, has_more_threads, NULL))
        unmake(own);
    give(own, &before);
    errno = error;
}

#else

static bool ask(struct file_worker *own, int (*work)(void *data), void *data, int *result) {
    (void)own, (void)work, (void)data, (void)result;
    return false;
}

void pinsight_file_worker_start(void) {
}

void pinsight_file_worker_end(void) {
}

#endif

/* Kept in forked children, because filters are. */
static int filtered, filtered_before;

void pinsight_file_worker_filtered(enum pinsight_filtered how) {
    int now = __atomic_load_n(&filtered, __ATOMIC_RELAXED);
    int next = how == PINSIGHT_FILTERED_NOT ? filtered_before : (int)how > now ? (int)how : now;
    if (how != PINSIGHT_FILTERED_NOT)
        filtered_before = now;
    __atomic_store_n(&filtered, next, __ATOMIC_RELEASE);
}

bool pinsight_file_work_is_forbidden(void) {
    return __atomic_load_n(&filtered, __ATOMIC_ACQUIRE) == PINSIGHT_FILTERED_ALL;
}

int pinsight_file_work(int (*work)(void *data), void *data) {
    int how = __atomic_load_n(&filtered, __ATOMIC_ACQUIRE);
    if (how == PINSIGHT_FILTERED_ALL)
        return ENOSYS;
    pinsight_file_worker_ready(); /* the process may have been forked without a handler */
    struct file_worker *own = of_this_process();
    bool is_there = own && __atomic_load_n(&own->tid, __ATOMIC_RELAXED);
    if (how == PINSIGHT_FILTERED_HERE && !is_there)
        return ENOSYS;
    int error = is_there ? EMFILE : work(data);
    if (error == EMFILE && own && !ask(own, work, data, &error) && is_there)
        error = work(data);
    return error;
}

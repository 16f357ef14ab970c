/* Forks in signal handlers, at any moment of the threads that record: nothing is lost, and nothing
 * is there twice. */
#include "recorded.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, OF_CHILD = 5 };

static pid_t (*fork_alone)(void); /* _Fork(), where libc has it */
static unsigned forks_wanted;     /* PINSIGHT_TEST_FORKS, a process */
static bool goes_on;              /* children return from the handler, and end some events later */
static volatile bool is_child;
/* What the program itself knows, in memory that the children share. */
static struct {
    uint64_t of_threads[THREADS], of_children;
    unsigned forked;
    int bad; /* how a child ended that did not end well */
} * known;

static pid_t clone_bare(void) {
    return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

static void be_child(void) {
    for (uint32_t i = 0; i < OF_CHILD; i++) {
        put_small(i);
        __atomic_fetch_add(&known->of_children, 1, __ATOMIC_RELAXED);
    }
    _exit(0);
}

static void on_signal(int number) {
    pid_t (*const ways[])(void) = {fork, clone_bare, fork_alone ? fork_alone : fork};
    int error = errno, status = 0;
    unsigned turn = __atomic_fetch_add(&known->forked, 1, __ATOMIC_RELAXED);
    (void)number;
    pid_t child = turn < forks_wanted ? ways[turn % 3]() : -1;
    is_child = !child;
    if (!child && goes_on)
        return;
    if (!child)
        be_child();
    if (child > 0)
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            continue;
    if (status)
        known->bad = status;
    errno = error;
}

static void *record_until_forked(void *own) {
    uint64_t *count = own;
    while (__atomic_load_n(&known->forked, __ATOMIC_RELAXED) < forks_wanted) {
        put_small(1);
        if (is_child)
            be_child();
        ++*count;
    }
    if (is_child)
        be_child();
    pinsight_recorder_file.thread_end();
    return NULL;
}

static void by_threads_that_fork(void) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    pthread_t threads[THREADS];
    sigaction(SIGUSR1, &action, NULL);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, record_until_forked, &known->of_threads[i]);
    for (unsigned i = 0; __atomic_load_n(&known->forked, __ATOMIC_RELAXED) < forks_wanted; i++) {
        pthread_kill(threads[i % THREADS], SIGUSR1);
        usleep(300);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void fork_in_handlers(void) {
    static struct found before, after;
    const char *wanted = getenv("PINSIGHT_TEST_FORKS");
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* their runtimes have locks, which such a child finds taken */
#endif
    forks_wanted = wanted ? (unsigned)atoi(wanted) : 60;
    fork_alone = (pid_t(*)(void))(uintptr_t)dlsym(RTLD_DEFAULT, "_Fork");
    known = mmap(NULL, sizeof *known, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(known, MAP_FAILED);
    read_around(by_threads_that_fork, &before, &after);
    assert_int_equal(known->bad, 0);
    uint64_t counted = known->of_children;
    for (unsigned i = 0; i < THREADS; i++)
        counted += known->of_threads[i];
    assert_int_equal(known->of_children, forks_wanted * OF_CHILD);
    /* A child that goes on may have the event that it came into, where that had not begun yet. */
    assert_in_range(after.small - before.small, counted, counted + (goes_on ? forks_wanted : 0));
    print_message("%u forks in signal handlers: %llu events\n", forks_wanted,
                  (unsigned long long)counted);
    munmap(known, sizeof *known);
}

static void children_of_signal_handlers(void **state) {
    (void)state;
    goes_on = false;
    fork_in_handlers();
}

static void children_that_return_from_them(void **state) {
    (void)state;
    goes_on = true;
    fork_in_handlers();
}

int main(void) {
    return RUN_TESTS_GROUP(set_up, take_down, children_of_signal_handlers,
                           children_that_return_from_them);
}

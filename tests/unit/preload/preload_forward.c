/* fork(), close() and their like do what libc's do, with and without LTTng-UST behind them. */
#include "unit.h"

#include "tracer/preload/libc/libc.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* glibc 2.34 and later declare these. */
int close_range(unsigned int first, unsigned int last, int flags);
void closefrom(int first);

static int status_of(pid_t child) {
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void forks(void **state) {
    (void)state;
    pid_t parent = getpid();
    pid_t child = fork();
    if (child == 0) {
        _exit(getppid() == parent && getpid() != parent ? 5 : 6);
    }
    assert_true(child > 0);
    assert_int_equal(status_of(child), 5);

    int master;
    child = forkpty(&master, NULL, NULL, NULL);
    if (child == 0) {
        _exit(isatty(0) && getsid(0) == getpid() ? 5 : 6);
    }
    assert_int_equal(status_of(child), 5);
    close(master);
}

static int in_child(int (*body)(void)) {
    pid_t child = fork();
    if (child == 0) {
        _exit(body());
    }
    return status_of(child);
}

static int failing(void) {
    struct rlimit none = {0, 0};
    if (setrlimit(RLIMIT_NPROC, &none) != 0) {
        return 1;
    }
    /* Root is not held to the limit. */
    if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0) {
        return 2;
    }
    errno = 0;
    pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    return child == -1 && errno == EAGAIN ? 0 : 3;
}

static void fork_fails(void **state) {
    (void)state;
    assert_int_equal(in_child(failing), 0);
}

static int cloned(void *argument) {
    return *(int *)argument + (int)syscall(SYS_getppid) % 2;
}

static int wrote(void *argument) {
    *(int *)argument = 9;
    return 0;
}

static void clones(void **state) {
    (void)state;
    size_t size = 1 << 16;
    char *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(stack, MAP_FAILED);
    int value = 40;
    pid_t parent_tid = 0;
    pid_t child = clone(cloned, stack + size, CLONE_PARENT_SETTID | SIGCHLD, &value, &parent_tid);
    assert_true(child > 0);
    assert_int_equal(parent_tid, child);
    assert_int_equal(status_of(child), 40 + getpid() % 2);
    /* One that shares our memory is left alone. */
    child = clone(wrote, stack + size, CLONE_VM | CLONE_VFORK | SIGCHLD, &value);
    assert_true(child > 0);
    assert_int_equal(value, 9);
    assert_int_equal(status_of(child), 0);
    errno = 0;
    assert_int_equal(clone(NULL, NULL, 0, NULL), -1);
    assert_int_equal(errno, EINVAL);
    munmap(stack, size);
}

static bool is_open(int fd) {
    return fcntl(fd, F_GETFD) != -1;
}

/* In a child, so that the test's own descriptors stay. */
static int closing(void) {
    int low = fcntl(0, F_DUPFD, 100);
    int middle = fcntl(0, F_DUPFD, 110);
    int high = fcntl(0, F_DUPFD, 300);
    if (close(middle) != 0 || is_open(middle) || close(middle) != -1 || errno != EBADF) {
        return 1;
    }
    if (close_range(200, 100, 0) != -1 || errno != EINVAL) {
        return 2;
    }
    middle = fcntl(0, F_DUPFD, 110);
    if (close_range((unsigned int)low + 1, (unsigned int)high, 0) != 0 || !is_open(low) ||
        is_open(middle) || is_open(high)) {
        return 3;
    }
    high = fcntl(0, F_DUPFD, 300);
    errno = 77;
    closefrom(100);
    if (errno != 77 || is_open(low) || is_open(high) || !is_open(0)) {
        return 4;
    }
    return close_range(3, UINT_MAX, 0) == 0 ? 0 : 5;
}

static void closes(void **state) {
    (void)state;
    assert_int_equal(in_child(closing), 0);
}

static void others(void **state) {
    (void)state;
    errno = 0;
    assert_int_equal(setns(-1, 0), -1);
    assert_int_equal(errno, EBADF);
    assert_int_equal(unshare(0), 0);
    assert_int_equal(setuid(getuid()), 0);
    assert_int_equal(setgid(getgid()), 0);
    assert_int_equal(seteuid(geteuid()), 0);
    assert_int_equal(setegid(getegid()), 0);
    assert_int_equal(setreuid(getuid(), geteuid()), 0);
    assert_int_equal(setregid(getgid(), getegid()), 0);
    assert_int_equal(setresuid(getuid(), geteuid(), geteuid()), 0);
    assert_int_equal(setresgid(getgid(), getegid(), getegid()), 0);
}

/* The number of threads that /proc/self/stat, read with fopen(), gives. */
static int threads_seen(void) {
    char text[1024] = "";
    FILE *file = fopen("/proc/self/stat", "r");
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof(text), file));
    fclose(file);
    int threads = 0;
    char *at = strrchr(text, ')');
    assert_non_null(at);
    assert_int_equal(sscanf(at + 1,
                            " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d "
                            "%*d %d",
                            &threads),
                     1);
    assert_int_equal(text[strlen(text) - 1], '\n');
    return threads;
}

/* Forks, and looks as CPython does. */
static int threads_after_fork(void) {
    pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    int threads = threads_seen();
    assert_int_equal(status_of(child), 0);
    return threads;
}

static void *wait_for(void *lock) {
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    return NULL;
}

static void threads(void **state) {
    (void)state;
    assert_int_equal(threads_after_fork(), 1);
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, wait_for, &lock), 0);
    assert_int_equal(threads_after_fork(), 2);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    errno = 0;
    assert_null(fopen("/no-such-place/file", "r"));
    assert_int_equal(errno, ENOENT);
}

static void with_lttng(void **state) {
    (void)state;
    assert_int_equal(pinsight_preload_opened(), 0);
    assert_int_equal(pinsight_preload_opened(), 0);
    assert_non_null(dlopen("liblttng-ust.so.1", RTLD_LAZY | RTLD_NOLOAD));
}

int main(void) {
    return RUN_TESTS(forks, clones, closes, others, threads, fork_fails, with_lttng, forks, clones,
                     closes, others, threads, fork_fails);
}

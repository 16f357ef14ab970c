/*
 * Native code that asks where in Python it was called, as a domain does (src/tracer/core/link.h).
 * Built by test_link.py and called by paths.py through ctypes.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef uint32_t (*provider)(void);
static _Atomic(provider) *place;

/* Is there a core in this process? */
int where_find(void) {
    void *core = dlopen("libpinsight.so.0", RTLD_LAZY | RTLD_NOLOAD);
    place = core ? (_Atomic(provider) *)dlsym(core, "pinsight_link") : NULL;
    return place != NULL;
}

uint32_t where(void) {
    provider ask = atomic_load(place);
    errno = 4711;
    uint32_t path = ask ? ask() : 0;
    if (errno != 4711)
        abort();
    return path;
}

/* Calls back into Python. */
void where_call(void (*function)(void)) {
    function();
}

/* The same in a thread that Python did not make; what it is told where nothing of it is Python. */
struct job {
    void (*function)(void);
    uint32_t before, after;
};

static void *run_job(void *argument) {
    struct job *job = argument;
    job->before = where();
    job->function();
    job->after = where();
    return NULL;
}

uint32_t where_call_in_thread(void (*function)(void)) {
    struct job job = {.function = function};
    pthread_t thread;
    if (pthread_create(&thread, NULL, run_job, &job) != 0)
        abort();
    pthread_join(thread, NULL);
    return job.before | job.after;
}

/* Forks without Python's knowledge, asks in the child, and gives what the child was told. */
uint32_t where_forked(void) {
    int ends[2];
    uint32_t path = 0;
    if (pipe(ends) != 0)
        abort();
    pid_t child = fork();
    if (child == 0) {
        path = where();
        _exit(write(ends[1], &path, sizeof path) != sizeof path);
    }
    if (read(ends[0], &path, sizeof path) != sizeof path)
        abort();
    close(ends[0]);
    close(ends[1]);
    waitpid(child, NULL, 0);
    return path;
}

/* Asks for so many microseconds, over and over; how often it was told something. */
uint32_t where_for(uint32_t microseconds) {
    struct timespec now;
    uint32_t count = 0;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t end = (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000 + microseconds;
    do {
        count += where() != 0;
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000 < end);
    return count;
}

/* In the place of the function that frees an object. */
void where_free_nothing(void *object) {
    (void)object;
}

/* A watcher of code objects (PyCode_WatchCallback). */
int where_watch(int event, void *code) {
    (void)event;
    (void)code;
    return 0;
}

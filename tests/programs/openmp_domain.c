/*
 * Regions of OpenMP in situations that a tool has to survive; the first argument says which.
 * Without `main` (-DLIBRARY) it is a library with one region, which a program loads and unloads.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef LIBRARY
int in_library(void) {
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += omp_get_thread_num() + 1;
    return sum;
}
#else
#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>

__attribute__((noinline)) int first(void) {
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
#pragma omp for
        for (int i = 0; i < 8; i++)
            sum += i;
    }
    return sum;
}

__attribute__((noinline)) int second(void) {
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
#pragma omp critical
        sum += 1;
#pragma omp barrier
#pragma omp single
#pragma omp task
        usleep(10);
    }
    return sum;
}

static void times(int n) {
    for (int i = 0; i < n; i++) {
        first();
        second();
    }
}

static void *in_thread(void *unused) {
    first();
    pthread_exit(unused);
}

static void *ends_in_region(void *unused) {
#pragma omp parallel num_threads(1)
    pthread_exit(unused);
    return NULL;
}

static void with_thread(void *(*run)(void *)) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, NULL) == 0)
        pthread_join(thread, NULL);
}

static void forked(int n) {
    pid_t child = fork();
    if (child == 0) {
        times(n);
        exit(0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    printf("child %d\n", status);
}

static void fork_inside(int n) {
#pragma omp parallel num_threads(2)
    {
#pragma omp master
        {
            pid_t child = fork();
            if (child == 0)
                _exit(0);
            waitpid(child, NULL, 0);
        }
    }
    times(n);
}

static void nested(void) {
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
#pragma omp parallel num_threads(2)
        usleep(100);
    }
}

static void unload(const char *path, int n) {
    for (int i = 0; i < n; i++) {
        void *library = dlopen(path, RTLD_NOW);
        int (*call)(void) = library ? (int (*)(void))dlsym(library, "in_library") : NULL;
        printf("%d\n", call ? call() : -1);
        if (library)
            dlclose(library);
    }
}

/* Until the file `stop` is there; the number of turns so far in `turns`. */
static void until_stopped(void) {
    for (long turn = 0; access("stop", F_OK) != 0 && turn < 100000; turn++) {
        first();
        if (turn % 50 == 0) {
            FILE *file = fopen("turns.new", "w");
            fprintf(file, "%ld %d\n", turn, (int)getpid());
            fclose(file);
            rename("turns.new", "turns");
        }
        usleep(1000);
    }
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "times";
    int n = argc > 2 ? atoi(argv[2]) : 1;
    if (strcmp(what, "times") == 0)
        times(n);
    else if (strcmp(what, "thread") == 0)
        with_thread(in_thread);
    else if (strcmp(what, "thread_in_region") == 0)
        with_thread(ends_in_region);
    else if (strcmp(what, "fork") == 0) {
        times(1);
        forked(n);
    } else if (strcmp(what, "fork_first") == 0) {
        forked(n);
        times(1);
    } else if (strcmp(what, "fork_inside") == 0)
        fork_inside(n);
    else if (strcmp(what, "nested") == 0)
        nested();
    else if (strcmp(what, "unload") == 0)
        unload(argv[3], n);
    else if (strcmp(what, "until") == 0)
        until_stopped();
    else if (strcmp(what, "leave") == 0) {
        times(n);
        fflush(stdout);
        _exit(3);
    }
    printf("done\n");
    return 0;
}
#endif

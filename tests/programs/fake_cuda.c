/* A program in C on the fake driver (tests/fakes/cuda), which it is linked with. Arguments: what to
 * do. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern int cuInit(unsigned flags), cuDevicePrimaryCtxRetain(void **context, int device),
    cuCtxSetCurrent(void *context);
extern int cuModuleGetFunction(void **function, void *module, const char *name);
extern int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                          unsigned by, unsigned bz, unsigned shared, void *stream, void **params,
                          void **extra);
extern int cuStreamCreate(void **stream, unsigned flags), cuStreamSynchronize(void *stream),
    cuCtxSynchronize(void);
extern int cuMemAlloc_v2(uint64_t *address, size_t bytes), cuMemFree_v2(uint64_t address);
extern int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream);

static void *context;

static void check(int result) {
    if (result) {
        printf("error %d\n", result);
        exit(1);
    }
}

static void *work(void *times) {
    void *stream, *function;
    uint64_t memory;

    check(cuCtxSetCurrent(context));
    check(cuStreamCreate(&stream, 0));
    check(cuModuleGetFunction(&function, NULL, "in_c"));
    check(cuMemAlloc_v2(&memory, 4096));
    for (int i = 0; i < *(int *)times; i++) {
        check(cuMemcpyHtoDAsync_v2(memory, "content", 8, stream));
        check(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, NULL, NULL));
    }
    check(cuStreamSynchronize(stream));
    check(cuMemFree_v2(memory));
    return NULL;
}

int main(int count, char **words) {
    pthread_t threads[8];
    int times = count > 1 ? atoi(words[1]) : 10, used = count > 2 ? atoi(words[2]) : 1;
    int result = cuInit(0);

    if (result) {
        printf("cuInit gives %d\n", result);
        return 2;
    }
    check(cuDevicePrimaryCtxRetain(&context, 0));
    for (int i = 0; i < used; i++)
        pthread_create(&threads[i], NULL, work, &times);
    for (int i = 0; i < used; i++)
        pthread_join(threads[i], NULL);
    printf("done %d\n", times * used);
    if (count > 3 && strcmp(words[3], "leave") == 0) {
        fflush(stdout);
        _exit(4);
    }
    return 0;
}

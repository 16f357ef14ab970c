/* Launches an empty kernel through CUDA's driver, and says what a launch takes of the thread's
 * processor time: the least of some rounds, in ns. Needs neither headers nor a compiler of
 * NVIDIA's: the driver compiles the kernel. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

#include "../floor/clock.h"

enum { LAUNCHES = 1000, ROUNDS = 60 };

static const char kernel[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                             ".visible .entry empty() { ret; }\n";

#define FUNCTION(name, ...)                                                                        \
    int (*name)(__VA_ARGS__);                                                                      \
    *(void **)&name = dlsym(driver, #name)
#define DO(call)                                                                                   \
    do {                                                                                           \
        int result = call;                                                                         \
        if (result != 0) {                                                                         \
            fprintf(stderr, "%s: %d\n", #call, result);                                            \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

int main(void) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW), *context, *module, *function;
    double least = 1e12;
    int device;
    if (!driver) {
        fprintf(stderr, "there is no libcuda.so.1\n");
        return 2;
    }
    FUNCTION(cuInit, unsigned);
    FUNCTION(cuDeviceGet, int *, int);
    FUNCTION(cuDevicePrimaryCtxRetain, void **, int);
    FUNCTION(cuCtxSetCurrent, void *);
    FUNCTION(cuModuleLoadData, void **, const void *);
    FUNCTION(cuModuleGetFunction, void **, void *, const char *);
    FUNCTION(cuLaunchKernel, void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
             unsigned, void *, void **, void **);
    FUNCTION(cuCtxSynchronize, void);
    DO(cuInit(0));
    DO(cuDeviceGet(&device, 0));
    DO(cuDevicePrimaryCtxRetain(&context, device));
    DO(cuCtxSetCurrent(context));
    DO(cuModuleLoadData(&module, kernel));
    DO(cuModuleGetFunction(&function, module, "empty"));
    for (int round = 0; round < ROUNDS; round++) {
        double before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
        for (int i = 0; i < LAUNCHES; i++)
            DO(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
        double took = (clock_ns(CLOCK_THREAD_CPUTIME_ID) - before) / LAUNCHES;
        least = took < least ? took : least;
        DO(cuCtxSynchronize());
    }
    printf("%.1f\n", least);
    return 0;
}

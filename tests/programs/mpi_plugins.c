/* Opens each library that is given, calls its plugin(), which calls MPI, and closes it again. A
 * library that is built with PLUGIN is one. */
#define _GNU_SOURCE
#include <mpi.h>

#include <dlfcn.h>
#include <stdio.h>

#ifdef PLUGIN
void *PLUGIN(void);
void *PLUGIN(void) {
    MPI_Barrier(MPI_COMM_WORLD);
    return __builtin_return_address(0);
}
#else
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (int at = 1; at < argc; at++) {
        void *library = dlopen(argv[at], RTLD_NOW | RTLD_LOCAL);
        void *(*plugin)(void) = library ? (void *(*)(void))dlsym(library, "plugin") : NULL;
        if (!plugin)
            return fprintf(stderr, "%s\n", dlerror()), 1;
        plugin();
        dlclose(library);
    }
    MPI_Finalize();
    return 0;
}
#endif

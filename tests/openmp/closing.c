// Opens libraries that use OpenMP, calls them, and closes them again: closing LIBRARY...
// The program itself has nothing of OpenMP's, so the runtime comes and goes with the libraries.
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int regions = 0;
    for (int turn = 0; turn < 3; turn++) {
        for (int i = 1; i < argc; i++) {
            void *library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
            if (!library) {
                fprintf(stderr, "%s\n", dlerror());
                return 1;
            }
            int (*region)(int) = (int (*)(int))dlsym(library, "called_region");
            if (!region || region(2) != 2 || region(3) != 3) {
                return 1;
            }
            regions += 2;
            printf("note opened %d\n", i);
            dlclose(library);
        }
    }
    printf("pid %d\ncount parallel %d\ndone\n", (int)getpid(), regions);
    return fflush(stdout) == 0 ? 0 : 1;
}

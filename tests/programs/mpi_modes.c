/* Changes the mode of the MPI domain between its calls, all ranks alike: five barriers on a
 * communicator that was made in STANDBY, in each of the modes that are given. Says how many calls
 * were made in all. */
#define _GNU_SOURCE
#include <mpi.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    MPI_Comm comm;

    MPI_Init(&argc, &argv);
    void *library = dlopen("libpinsight.so.0", RTLD_NOW | RTLD_NOLOAD);
    int (*set_mode)(const char *, int) =
        library ? (int (*)(const char *, int))dlsym(library, "pinsight_set_mode") : NULL;
    if (!set_mode)
        MPI_Abort(MPI_COMM_WORLD, 3);
    set_mode("MPI", 1);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "made in STANDBY");
    for (int at = 1; at < argc; at++) {
        if (set_mode("MPI", atoi(argv[at])) != 0)
            MPI_Abort(MPI_COMM_WORLD, 4);
        for (int i = 0; i < 5; i++)
            MPI_Barrier(comm);
    }
    MPI_Finalize();
    return 0;
}

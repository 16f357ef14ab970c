/* Starts two processes by MPI_Comm_spawn_multiple, with a variable for each in an MPI_Info of its
 * own, and talks to them: over the intercommunicator, and over what that is merged into.
 * With Open MPI 5.0 by MPI_Comm_spawn, and the variable for both: its mpirun (5.0.7) crashes at the
 * other. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION >= 5
#define KEY "PMIX_ENVAR"
#else
#define KEY "env"
#endif

static void start(char *program, MPI_Comm *other) {
    char *commands[2] = {program, program};
    int counts[2] = {1, 1};
    MPI_Info infos[2];
    char text[64];
    int there, keys;
    MPI_Info_create(&infos[0]);
    MPI_Info_set(infos[0], KEY, "SPAWNED=first");
    infos[1] = MPI_INFO_NULL;
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION >= 5
    (void)commands, (void)counts;
    MPI_Comm_spawn(program, MPI_ARGV_NULL, 2, infos[0], 1, MPI_COMM_WORLD, other,
                   MPI_ERRCODES_IGNORE);
#else
    MPI_Comm_spawn_multiple(2, commands, MPI_ARGVS_NULL, counts, infos, 1, MPI_COMM_WORLD, other,
                            MPI_ERRCODES_IGNORE);
#endif
    MPI_Info_get(infos[0], KEY, 63, text, &there);
    MPI_Info_get_nkeys(infos[0], &keys);
    if (strcmp(text, "SPAWNED=first") != 0 || keys != 1)
        puts("the program's info was changed");
}

int main(int argc, char **argv) {
    MPI_Comm parent, other, all;
    int rank, value = -1, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&parent);
    other = parent;
    if (parent == MPI_COMM_NULL) {
        start(argv[0], &other);
        if (rank == 0)
            MPI_Send(&rank, 1, MPI_INT, 1, 3, other);
    } else {
        const char *told = getenv("SPAWNED");
        if (rank == 1)
            MPI_Recv(&value, 1, MPI_INT, 0, 3, other, MPI_STATUS_IGNORE);
        printf("child %d got %d, told %s\n", rank, value, told ? told : "nothing");
    }
    MPI_Intercomm_merge(other, parent != MPI_COMM_NULL, &all);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
    if (sum != 2)
        puts("wrong sum");
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&other);
    MPI_Finalize();
    return 0;
}

/* Starts two processes by MPI_Comm_spawn_multiple, with a variable for each in an MPI_Info of its
 * own, and talks to them: over the intercommunicator, and over what that is merged into. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    MPI_Comm parent, other, all;
    int rank, value = -1, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&parent);
    other = parent;
    if (parent == MPI_COMM_NULL) {
        char *commands[2] = {argv[0], argv[0]};
        int counts[2] = {1, 1};
        MPI_Info infos[2];
        MPI_Info_create(&infos[0]);
        MPI_Info_set(infos[0], "env", "SPAWNED=first");
        infos[1] = MPI_INFO_NULL;
        MPI_Comm_spawn_multiple(2, commands, MPI_ARGVS_NULL, counts, infos, 1, MPI_COMM_WORLD,
                                &other, MPI_ERRCODES_IGNORE);
        char text[64];
        int there, keys;
        MPI_Info_get(infos[0], "env", 63, text, &there);
        MPI_Info_get_nkeys(infos[0], &keys);
        if (strcmp(text, "SPAWNED=first") != 0 || keys != 1)
            puts("the program's info was changed");
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

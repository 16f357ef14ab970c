/* Two ranks of which one does what a program should not:
 *   mpi_bad segv|kill|abort|hang|returned
 * Rank 0 waits in MPI_Recv for rank 1, which crashes, is killed, aborts, or never sends. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank;

/* Where rank 0 is found. */
static void wait_for_other(void) {
    int in;
    MPI_Recv(&in, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* waits */
}

static void returned(void) {
    int value = 0;
    MPI_File file;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < 3 && rank == 1; i++)
        MPI_Send(&value, 1, MPI_INT, 17, 0, MPI_COMM_WORLD); /* wrong */
    MPI_File_open(MPI_COMM_SELF, "/nowhere/at/all", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(what, "returned") == 0) {
        returned();
    } else if (rank == 0) {
        wait_for_other();
    } else {
        usleep(300 * 1000);
        if (strcmp(what, "segv") == 0)
            *(volatile int *)8 = 1;
        if (strcmp(what, "kill") == 0)
            kill(getpid(), SIGKILL);
        if (strcmp(what, "abort") == 0)
            MPI_Abort(MPI_COMM_WORLD, 9);
        fclose(fopen("hangs", "w"));
        pause();
    }
    MPI_Finalize();
    return 0;
}

/* MPI without MPI_Init: a session (MPI 4.0, 11.3), and two communicators of it. */
#include <mpi.h>
#include <stdio.h>

static void use(MPI_Group group, const char *tag) {
    MPI_Comm comm;
    int rank, size, sum = 0, got = -1;
    MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 4, &got, 1, MPI_INT,
                 (rank + size - 1) % size, 4, comm, MPI_STATUS_IGNORE);
    MPI_Allreduce(&got, &sum, 1, MPI_INT, MPI_SUM, comm);
    printf("rank %d of %d: %d\n", rank, size, sum);
    fflush(stdout);
    MPI_Comm_free(&comm);
}

int main(void) {
    MPI_Session session;
    MPI_Group group;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    use(group, "org.example.first");
    use(group, "org.example.second");
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
    return 0;
}

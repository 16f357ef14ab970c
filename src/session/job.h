/* The parallel job of this process, from its launcher's environment variables. */
#ifndef PINSIGHT_SESSION_JOB_H
#define PINSIGHT_SESSION_JOB_H

#include <stdbool.h>

struct pinsight_job {
    char id[96];       /* unique among the jobs on this host; equal in all its processes */
    char launcher[16]; /* the launcher whose variables are set; "" without a job */
    int rank, size;    /* in the whole job; 0 and 1 without one */
    int local_rank;    /* on this host */
    int local_size;
    /* The launcher reports neither the local rank nor the number of local ranks (PMIx alone, PMI
     * alone). The first process keeps the session then (node_group.h). All processes have
     * local_rank 0 and local_size 2. `size` is 0 if it is unknown, too. */
    bool unplaced;
};

/*
 * Reads the environment variables of Open MPI, MPICH, Intel MPI (hydra), MVAPICH, Cray PALS, Slurm,
 * PMIx and PMI. `get` has the signature of getenv(). A job with one process on this host forms no
 * node group. Slurm's variables without SLURM_STEP_ID belong to a batch job outside its parallel
 * steps and do not count.
 */
void pinsight_job_look(struct pinsight_job *job, char *(*get)(const char *name));

#endif

/* The parallel job that this process is part of, as its launcher's environment tells. */
#ifndef PINSIGHT_SESSION_JOB_H
#define PINSIGHT_SESSION_JOB_H

#include <stdbool.h>

struct pinsight_job {
    char id[96];       /* the same for all processes of the job on this host, unlike other jobs' */
    char launcher[16]; /* whose variables these are, "" without a job */
    int rank, size;    /* in the job; 0 and 1 without one */
    int local_rank;    /* on this host */
    int local_size;
    /* The launcher says neither which rank of its host this is nor how many there are (PMIx alone,
     * PMI alone): who comes first keeps the session (node_group.h). Then local_rank is 0 and
     * local_size 2 for everybody; size is 0 where it is not known either. */
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

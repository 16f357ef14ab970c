/* The times that ranks of a job, or workers of a pool, ran: in one function, or in all. Rules
 * compare them. Running times are compared, because on a busy machine wall time depends on other
 * programs. Not thread-safe. */
#ifndef PINSIGHT_VIEWS_INSIGHTS_RANK_TIMES_H
#define PINSIGHT_VIEWS_INSIGHTS_RANK_TIMES_H

#include "views/report/attribution.h"

/* The ranks or workers that are compared, and their last times. */
struct pinsight_ranks {
    uint64_t *ns; /* by the index of a rank */
    size_t count;
    const struct pinsight_process **processes;
    size_t *rank_of; /* index, by a process's index, or SIZE_MAX */
    /* For counted calls: the part of the time in which a rank wanted a processor, in which it had
     * one. Counted times in functions are multiplied by it. */
    double *rates;
    /* By the clocks of a rank's threads. */
    uint64_t *wanted_ns, *ran_ns, *waited_ns;
    /* The recorded time of these threads, and its part outside known waits. */
    uint64_t *took_ns, *unwaited_ns;
    uint64_t *calls; /* of the last function */
};

/* Returns room for `count` processes, without a rank. The caller passes it to
 * pinsight_ranks_free(). */
struct pinsight_ranks pinsight_ranks_start(size_t count);
void pinsight_ranks_free(struct pinsight_ranks *ranks);

/* Adds a process as the next rank; and removes all ranks. */
void pinsight_ranks_add(struct pinsight_ranks *ranks, const struct pinsight_process *process);
void pinsight_ranks_forget(struct pinsight_ranks *ranks);

/* Reads the clocks of all ranks' threads, which sets the rates. */
void pinsight_ranks_read_clocks(const struct pinsight_report *report, struct pinsight_ranks *ranks);

/* Returns the part of the time in which all ranks wanted a processor, in which they had one.
 * Returns 1 without clocks. */
double pinsight_ranks_rate(const struct pinsight_ranks *ranks);

/* Set the times in one function, or for PINSIGHT_NONE in all; and for counted calls, all times
 * outside imports by the clocks alone. */
void pinsight_ranks_in(const struct pinsight_report *report, uint32_t function,
                       struct pinsight_ranks *ranks);
void pinsight_ranks_by_clock(const struct pinsight_report *report, struct pinsight_ranks *ranks);

/* For counted calls: sets the times outside MPI and imports, and returns the rank that surely ran
 * longest. MONITORING knows how long a thread waited or had no processor, but not in which calls.
 * The time of this rank leaves out all its waiting, and the times of the others leave out none.
 * The lack of processors is taken off in proportion, and for the others only as far as this rank
 * lacked them: MPI may give a processor away while it waits for a message. */
size_t pinsight_ranks_outside_mpi(const struct pinsight_report *report,
                                  struct pinsight_ranks *ranks);

/* Returns how much longer than the mean of the others the longest one ran. Sets *which to its
 * index. */
uint64_t pinsight_ranks_excess(const struct pinsight_ranks *ranks, size_t *which);

/* Returns the part of a rank's time in the last function that its number of calls does not explain,
 * by the mean call of the other ranks. */
uint64_t pinsight_ranks_excess_by_call(const struct pinsight_ranks *ranks, size_t rank);

/* Returns how much longer than one rank the others waited on average, by their clocks, without the
 * part in which all of them had no processor. */
uint64_t pinsight_ranks_waits_of_others(const struct pinsight_ranks *ranks, size_t rank);

/* Returns the user's function with the largest excess of a rank over the others, or PINSIGHT_NONE.
 * Sets the times in that function. */
uint32_t pinsight_ranks_culprit(const struct pinsight_report *report, struct pinsight_ranks *ranks,
                                size_t rank);

#endif

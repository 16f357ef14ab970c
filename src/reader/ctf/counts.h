/* What the processes of a run counted, as `pinsight run` wrote it beside the trace: see
 * session/counts.h for the file. It is of somebody else's making and may hold anything. */
#ifndef PINSIGHT_READER_CTF_COUNTS_H
#define PINSIGHT_READER_CTF_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pinsight_counts_line {
    uint32_t number;
    int64_t pid;
    uint64_t events;
    bool whole;   /* it recorded no more than that */
    bool claimed; /* for account.c: its trace was found */
};

struct pinsight_counts_read {
    char *folder; /* of the run */
    struct pinsight_counts_line *lines;
    size_t count, capacity;
};

/* All runs whose traces are read: a job has one for each host. */
struct pinsight_counts_list {
    struct pinsight_counts_read *runs;
    size_t count, capacity;
};

/* The counts of the run that a folder of a trace belongs to, which is below `top` or is it; NULL
 * where there is no file. The list's. */
struct pinsight_counts_read *pinsight_counts_of(struct pinsight_counts_list *list, const char *top,
                                                const char *folder);

/* The line of a process; NULL without one. */
struct pinsight_counts_line *pinsight_counts_find(struct pinsight_counts_read *run, uint32_t number,
                                                  int64_t pid);

void pinsight_counts_clear(struct pinsight_counts_list *list);

#endif

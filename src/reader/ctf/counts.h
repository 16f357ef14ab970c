/* The counts that `pinsight run` wrote beside the trace for its processes; session/counts.h
 * describes the file. The file is not trusted. */
#ifndef PINSIGHT_READER_CTF_COUNTS_H
#define PINSIGHT_READER_CTF_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pinsight_counts_line {
    uint32_t number;
    int64_t pid;
    uint64_t events;
    bool whole;   /* the count is complete */
    bool claimed; /* for account.c: its trace was found */
};

struct pinsight_counts_read {
    char *folder; /* folder of the run */
    struct pinsight_counts_line *lines;
    size_t count, capacity;
};

/* All runs whose traces are read. A job has one for each host. */
struct pinsight_counts_list {
    struct pinsight_counts_read *runs;
    size_t count, capacity;
};

/* Returns the counts of the run that a folder of a trace belongs to. The folder is `top` or below
 * it. Returns NULL without a file. The list owns the result. */
struct pinsight_counts_read *pinsight_counts_of(struct pinsight_counts_list *list, const char *top,
                                                const char *folder);

/* Returns the line of a process, or NULL. */
struct pinsight_counts_line *pinsight_counts_find(struct pinsight_counts_read *run, uint32_t number,
                                                  int64_t pid);

void pinsight_counts_clear(struct pinsight_counts_list *list);

#endif

/*
 * What the processes of a run counted, for its supervisor: the file in which they count
 * (record/counts.h), and the text file beside the trace that says it to readers.
 *
 *   pinsight-counts.txt: one "NUMBER PID EVENTS WHOLE" a line. NUMBER is that of the process's
 * event_count, PID as the process saw itself, EVENTS what it recorded, and WHOLE 1 where that is
 * all: 0 where it still recorded when the session stopped, or counted elsewhere too.
 */
#ifndef PINSIGHT_SESSION_COUNTS_H
#define PINSIGHT_SESSION_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#define PINSIGHT_COUNTS_FILE "pinsight-counts.txt"

struct pinsight_counts_kept {
    uint64_t *events; /* of each part; of who looked, until it is written */
    size_t count;
};

/* Makes the file in which processes count. A descriptor, or -1 where there can be none. */
int pinsight_counts_make(void);

/* Gives a process, by its own number, a part of it. The part's number; 0 without one. One process
 * at a time may call it. */
uint32_t pinsight_counts_give(int fd, int pid);

/* Looks at the counts, before the session stops. */
void pinsight_counts_look(struct pinsight_counts_kept *counted, int fd);

/* Writes what was looked at into the output folder, when the session has stopped, and frees it.
 * What cannot be written is omitted: readers then know less. */
void pinsight_counts_write(struct pinsight_counts_kept *counted, int fd, const char *output);

/* Removes the text file from an output folder. */
void pinsight_counts_remove(const char *output);

#endif

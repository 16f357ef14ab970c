/*
 * The supervisor's access to the processes' counts of recorded events (format/counts.h), and the
 * text file beside the trace that has them for readers.
 *
 *   pinsight-counts.txt: a line "NUMBER PID EVENTS WHOLE" for each process. NUMBER is that of the
 *       process's event_count, PID its number as the process sees itself, and EVENTS its count of
 *       recorded events. WHOLE is 1 if EVENTS is complete. It is 0 if the process still recorded
 * when the session stopped, or also counted elsewhere.
 */
#ifndef PINSIGHT_SESSION_COUNTS_H
#define PINSIGHT_SESSION_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#define PINSIGHT_COUNTS_FILE "pinsight-counts.txt"

struct pinsight_counts_kept {
    uint64_t *events; /* of each part; owned until they are written */
    size_t count;
};

/* Makes the file in which processes count. Returns a descriptor, or -1 on failure. */
int pinsight_counts_make(void);

/* Gives a process a part of the file. `pid` is the process's number as it sees itself. Returns the
 * part's number, or 0. Only one process at a time may call this. */
uint32_t pinsight_counts_give(int fd, int pid);

/* Reads the counts before the session stops. */
void pinsight_counts_look(struct pinsight_counts_kept *counted, int fd);

/* Writes the counts into the output folder after the session has stopped, and frees them. A count
 * that cannot be written is left out; readers then know less. */
void pinsight_counts_write(struct pinsight_counts_kept *counted, int fd, const char *output);

/* Removes the text file from an output folder. */
void pinsight_counts_remove(const char *output);

#endif

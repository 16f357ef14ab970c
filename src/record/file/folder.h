/* The folder in which the processes of one host record: OUTPUT/trace/HOSTNAME, a trace of CTF 1.8.
 */
#ifndef PINSIGHT_RECORD_FILE_FOLDER_H
#define PINSIGHT_RECORD_FILE_FOLDER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes the folder's path for this host. False where it is too long. */
bool pinsight_file_folder_path(char path[PATH_MAX], const char *output);

/* Makes the folder with its control page and its metadata, where it is not there. Returns 0; or an
 * errno, with what is wrong in `why`. Any process, several at once. */
int pinsight_file_folder_make(const char *output, char *why, size_t room);

/* What came of finishing. */
struct pinsight_file_finished {
    uint32_t finished;    /* buffers of processes that have ended */
    uint32_t alive;       /* buffers of processes that go on */
    uint32_t unreachable; /* buffers of other hosts, of which nobody here knows */
    uint64_t lost_bytes;  /* of events that found no room on the disk */
    uint64_t lost_events; /* for which no buffer could be had */
    uint64_t refused;     /* events of signal handlers that came within another one */
    int error;            /* the first errno of what failed, 0 for none */
};

/* Finishes the buffers of processes that have ended, on this host, and puts the clock in the
 * metadata right. Returns 0 or an errno. Any process, several at once. */
int pinsight_file_folder_finish(const char *output, struct pinsight_file_finished *finished);

/* The same for one folder as pinsight_file_folder_path names it. */
int pinsight_file_finish(const char *folder, struct pinsight_file_finished *finished);

#endif

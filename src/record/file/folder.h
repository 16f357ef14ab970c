/*
 * The folder in which the processes of one host record: OUTPUT/trace/HOSTNAME, a trace of CTF 1.8.
 * Where that is another machine's of the same name, or from before this one was started anew, it is
 * HOSTNAME-BOOT, as the clocks of the two have nothing in common.
 *
 *   metadata            what the events are
 *   PID-START-N         a stream: packets of one thread after another, of one process
 *   .PID-START-N        the buffer that belongs to it (layout.h), until it is finished
 *   .PID-START-ring     what a process dropped that keeps only its last events (layout.h)
 *                       or a link to it, where the folder's file system does not serve (local.h)
 *   .PID-START-N-counts-K
 *                       what MONITORING counts (keep.h), until the stream N is made of it
 *   .streams            which streams there are, and how long (streams.h)
 *   .control            a page that all processes share (layout.h)
 *
 * START is when the process started (proc(5), PID/stat), hexadecimal; N counts. The number of a
 * process in a PID namespace of its own is not the machine's: there it is PID-START-NAMESPACE in
 * place of PID-START, with the namespace's inode, hexadecimal. Readers of CTF pass over names that
 * begin with a dot.
 *
 * What was recorded is in the buffer's file at once, so that it is there however the process ends.
 * To finish a buffer is to append it to its stream; it may be done again after it was interrupted.
 */
#ifndef PINSIGHT_RECORD_FILE_FOLDER_H
#define PINSIGHT_RECORD_FILE_FOLDER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/own.h"
#include "record/file/layout.h"

/* In the folder: what introspections were given; introspect/chunk.h. */
#define PINSIGHT_FILE_CHUNKS ".chunks"

/* Writes all of it at a place in a file, whatever interrupts. Returns 0 or an errno. */
int pinsight_file_write_all(int fd, const char *bytes, size_t size, uint64_t at);

/* Writes the folder's path for this host. False where it is too long. Looks at the folder that has
 * the host's name, where there is one. */
bool pinsight_file_folder_path(char path[PATH_MAX], const char *output);

/*
 * Makes the folder with its control page and its metadata, where it is not there. Takes it only
 * where OUTPUT and the two folders in it are own, which `owned` says how far. Returns 0; or an
 * errno, with what is wrong in `why`: EPERM where one is not own. Any process, several at once.
 */
int pinsight_file_folder_make(const char *output, enum pinsight_owned *owned, char *why,
                              size_t room);

/* Maps the control page of a folder; NULL with errno set where there is none that is known. */
struct pinsight_control *pinsight_file_control_map(int folder);

/* Reads it, where it cannot be written. */
bool pinsight_file_control_read(int folder, struct pinsight_control *control);

/* Events that are in no stream, of all processes of a folder. */
struct pinsight_file_lost {
    uint64_t unwritten, unwritten_bytes; /* that could not be written: the disk was full, say */
    uint64_t others; /* that came within another one, or for which no buffer could be had */
    int error;       /* errno: why the first could not be written; 0 where that is not known */
};

/* What came of finishing. */
struct pinsight_file_finished {
    uint32_t finished;    /* buffers of processes that have ended */
    uint32_t alive;       /* buffers of processes that go on */
    uint32_t unreachable; /* buffers of other hosts, of which nobody here knows */
    struct pinsight_file_lost lost;
    int error; /* the first errno of what failed, 0 for none */
};

/* The run is over: finishes the buffers of processes that have ended, on this host, and puts the
 * clock in the metadata right. What was open in them was so until now. Returns 0 or an errno: EPERM
 * where the folder is not own, EWOULDBLOCK where somebody holds its lock. Any process, several at
 * once. */
int pinsight_file_folder_finish(const char *output, struct pinsight_file_finished *finished);

/* The same at any later time, for one folder as pinsight_file_folder_path names it. */
int pinsight_file_finish(const char *folder, struct pinsight_file_finished *finished);

/* Reads what was lost, also where the folder cannot be finished. False where it has no control
 * page. Any thread. */
bool pinsight_file_look_at_lost(const char *folder, struct pinsight_file_lost *lost);

/* Notes in the control page why something is lost, if it is the first. Any thread. */
void pinsight_file_note_why(struct pinsight_control *control, int error);

/* "the disk was full": what an errno says of events that could not be written. Static, or as
 * strerror(). */
const char *pinsight_file_why_lost(int error);

/* Reads all three clocks at one moment. */
void pinsight_file_clocks(struct pinsight_clocks *clocks, bool has_counter);

/* Notes in the control page that it is now. */
void pinsight_file_clocks_note(struct pinsight_control *control);

/* The metadata's text without its head, which folder.c writes; generated. */
extern const char pinsight_file_metadata[];

/* The fields of each event, by its number: for each the bytes of a number, or an s for a text.
 * NULL: there is no such event. Generated. */
extern const char *const pinsight_file_shapes[];
extern const uint32_t pinsight_file_shape_count;

/* The number of clock_sync, whose fields are a struct pinsight_clocks. Generated. */
extern const uint32_t pinsight_file_clock_sync;
extern const uint32_t pinsight_file_thread_clock;

/* What MONITORING counted; finish_counts.c records it. Generated. */
extern const uint32_t pinsight_file_path_profile;
extern const uint32_t pinsight_file_lexgion_profile;

/* How many events are in a packet of that many bytes, as the recorder wrote it. */
uint64_t pinsight_file_count_events(const uint8_t *packet, uint64_t bytes);

#endif

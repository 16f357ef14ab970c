/*
 * The folder in which the processes of one host record: OUTPUT/trace/HOSTNAME, a trace of CTF 1.8.
 * It is HOSTNAME-BOOT if OUTPUT/trace/HOSTNAME belongs to another machine of the same name, or was
 * made before the machine restarted. The clocks of the two have nothing in common.
 *
 *   metadata            the description of the events
 *   PID-START-N         a stream: packets of one thread after another, of one process
 *   .PID-START-N        the buffer that belongs to it (layout.h), until it is finished; or a link
 *                       to the buffer, on file systems that are unsuitable for it (local.h)
 *   .PID-START-ring     the limits and the losses of a flight recorder (layout.h)
 *   .PID-START-N-counts-K
 *                       the counts of MONITORING (persistent.h), until the stream N is made of them
 *   .streams            the list of streams with their lengths (streams.h)
 *   .packed.tar         streams in one file (packed.h)
 *   .control            a page that all processes share (layout.h)
 *
 * START is the time when the process started (proc(5), PID/stat), hexadecimal; N counts. A process
 * in a PID namespace of its own has a number that is not unique on the machine. Its files begin
 * with PID-START-NAMESPACE in place of PID-START, with the namespace's inode, hexadecimal. Readers
 * of CTF ignore names that begin with a dot.
 *
 * A recorded event is in the buffer's file at once, so that it survives any end of the process.
 * Finishing a buffer means appending it to its stream. This can be repeated after an interruption.
 */
#ifndef PINSIGHT_FORMAT_FOLDER_H
#define PINSIGHT_FORMAT_FOLDER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/safe_files.h"
#include "format/layout.h"

/* The folder of chunks that introspections were given; see introspect/chunk.h. */
#define PINSIGHT_FILE_CHUNKS ".chunks"

/* Writes all bytes at an offset in a file, even if signals interrupt. Returns 0 or an errno. */
int pinsight_file_write_all(int fd, const char *bytes, size_t size, uint64_t at);

/* Writes the path of the folder for this host. Looks at an existing folder with the host's name.
 * Returns false if the path is too long. */
bool pinsight_file_folder_path(char path[PATH_MAX], const char *output);

/*
 * Makes the folder with its control page and its metadata, if necessary. OUTPUT and the two folders
 * in it must be own; sets *owned to their ownership. Returns 0, or an errno with the reason in
 * `why`: EPERM if a folder is not own. Any number of processes may call it at the same time.
 */
int pinsight_file_folder_make(const char *output, enum pinsight_owned *owned, char *why,
                              size_t room);

/* The file of the control page. */
#define PINSIGHT_FILE_CONTROL ".control"

/* Maps the control page of a folder. Returns NULL with errno if there is none, or if its version is
 * unknown. */
struct pinsight_control *pinsight_file_control_map(int folder);

/* Reads the control page, if it cannot be written. Returns false if there is none. */
bool pinsight_file_control_read(int folder, struct pinsight_control *control);

/* Returns whether a trace, or a folder of one host in it, is a copy of the recorded files. No
 * process records into it, whatever its files say of processes. Returns false if unknown, as on
 * file systems without stable inodes, and for other recorders' traces. Any thread. */
bool pinsight_file_is_copy(const char *output);

/* Events that are in no stream, of all processes of a folder. */
struct pinsight_file_lost {
    /* could not be written, for example because the disk was full */
    uint64_t unwritten, unwritten_bytes;
    uint64_t others; /* interrupted another event, or got no buffer */
    int error;       /* errno of the first failed write; 0 if unknown */
};

/* The results of finishing a folder. */
struct pinsight_file_finished {
    uint32_t finished;    /* buffers of processes that have ended */
    uint32_t alive;       /* buffers of processes that still run */
    uint32_t unreachable; /* buffers of other hosts, whose state is unknown here */
    struct pinsight_file_lost lost;
    int error; /* the first errno; 0 if everything succeeded */
};

/* Finishes the folder at the end of the run: the buffers of processes that have ended, on this
 * host, and the clock in the metadata. Calls that are open at the end of an ended process's buffer
 * count until now. Returns 0 or an errno: EPERM if the folder is not own, EWOULDBLOCK if another
 * process holds its lock. Any number of processes may call it at the same time. */
int pinsight_file_folder_finish(const char *output, struct pinsight_file_finished *finished);

/* Like pinsight_file_folder_finish(), at any later time, for one folder of
 * pinsight_file_folder_path(). */
int pinsight_file_finish(const char *folder, struct pinsight_file_finished *finished);

/* Like pinsight_file_finish(), but waits at most `lock_ms` milliseconds for the lock. */
int pinsight_file_finish_within(const char *folder, unsigned lock_ms,
                                struct pinsight_file_finished *finished);

/* Reads the losses, even if the folder cannot be finished. Returns false if there is no control
 * page. Any thread. */
bool pinsight_file_look_at_lost(const char *folder, struct pinsight_file_lost *lost);

/* Notes the reason of a loss in the control page, if it is the first. Any thread. */
void pinsight_file_note_why(struct pinsight_control *control, int error);

/* Returns the reason of a loss for an errno, such as "the disk was full". The text is static, or
 * that of strerror(). */
const char *pinsight_file_why_lost(int error);

/* Reads all three clocks at one moment. */
void pinsight_file_clocks(struct pinsight_clocks *clocks, bool has_counter);

/* Notes the present time in the control page. */
void pinsight_file_clocks_note(struct pinsight_control *control);

/* The metadata's text without its head, which metadata.c writes; generated. */
extern const char pinsight_file_metadata[];

/* The sizes of the fields of each event, by the event's number: a digit for the bytes of a number,
 * an s for a text. NULL if there is no such event. Generated. */
extern const char *const pinsight_file_shapes[];
extern const uint32_t pinsight_file_shape_count;

/* The numbers of clock_sync, whose fields are a struct pinsight_clocks, of thread_clock, and of
 * process_memory. Generated. */
extern const uint32_t pinsight_file_clock_sync;
extern const uint32_t pinsight_file_thread_clock;
extern const uint32_t pinsight_file_process_memory;

/* The numbers of the events that finish_counts.c records for MONITORING. Generated. */
extern const uint32_t pinsight_file_path_profile;
extern const uint32_t pinsight_file_lexgion_profile;

/* Returns the number of events in a packet of the recorder, which is `bytes` long. */
uint64_t pinsight_file_count_events(const uint8_t *packet, uint64_t bytes);

#endif

/* A mapped stream file, and the trustworthy part of its packets. */
#ifndef PINSIGHT_READER_CTF_MAPPED_H
#define PINSIGHT_READER_CTF_MAPPED_H

#include "format/packed.h"
#include "reader/ctf/class.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A stream file. Eight bytes behind it can be read. */
struct ctf_file {
    char *path;
    const struct ctf_trace *trace;
    struct ctf_stream_class *class; /* of its first packet */
    const unsigned char *data;
    size_t mapped;       /* bytes of the mapping */
    size_t before;       /* bytes of the mapping before the data */
    uint64_t size;       /* bytes of the readable content */
    uint64_t file_size;  /* bytes of the file, as far as it is read */
    uint64_t whole_size; /* bytes of the whole packets at its start */
    uint64_t cut_size;   /* readable bytes of the packet after them, if its head is trustworthy */
    uint64_t first_begin, instance;
    bool has_instance;
    uint64_t largest;     /* bytes of its largest whole packet */
    uint64_t packets;     /* behind the largest number of a whole packet */
    uint64_t noted;       /* `packets` when the stream was finished; 0: unknown */
    uint64_t lacking;     /* bytes by which it was longer */
    bool is_copy;         /* its bytes are only in memory */
    bool is_disordered;   /* its packets were out of order, and were sorted: */
    uint64_t twice, late; /* duplicates that were left out; packets that came too late */
};

enum ctf_file_state {
    CTF_FILE_WHOLE,   /* only whole packets */
    CTF_FILE_CUT,     /* a part can be read: whole_size + cut_size is not 0 */
    CTF_FILE_LOST,    /* nothing can be read */
    CTF_FILE_FOREIGN, /* it does not start with a packet of the trace */
    CTF_FILE_UNKNOWN, /* the trace does not describe the stream of its first packet */
    CTF_FILE_EMPTY,
    CTF_FILE_CLOSED, /* it cannot be read; errno has the reason */
    CTF_FILE_OTHER,  /* not a regular file */
};

/* Opens a file of a trace, of which at most `most` bytes are read. Must be followed by
 * ctf_file_close() in any case. */
enum ctf_file_state ctf_file_open(struct ctf_file *file, const struct ctf_trace *trace,
                                  const char *path, uint64_t most);

/* Like ctf_file_open(), for a member of the archive in the folder of `path`, the path that its file
 * would have. If the archive was replaced since its list was read, errno is ESTALE. */
enum ctf_file_state ctf_file_open_packed(struct ctf_file *file, const struct ctf_trace *trace,
                                         const char *path, const struct pinsight_packed *packed,
                                         const struct pinsight_packed_member *member);

/* Like ctf_file_open(), for bytes in memory: a mapping of `mapped` bytes, which the file takes
 * over. */
enum ctf_file_state ctf_file_take(struct ctf_file *file, const struct ctf_trace *trace,
                                  const char *path, const unsigned char *data, size_t size,
                                  size_t mapped);

void ctf_file_close(struct ctf_file *file);

/* Returns the path of a stream file for messages. The path that is read may be that of an open
 * folder, below /proc. A link is not followed. The caller frees it. */
char *ctf_shown_path(const char *path);

/* Releases the memory of the file before a position, so that a large trace does not stay in memory.
 * It can be read again. *released is the end of the released part, 0 at first. */
void ctf_file_release(const struct ctf_file *file, uint64_t *released, uint64_t until);

/* Returns a number in the head of the packet at `offset`, which must exist; 0 if the trace has no
 * such field. */
static inline uint64_t ctf_file_number(const struct ctf_file *file, uint64_t offset,
                                       struct pinsight_slot slot) {
    return slot.there ? (uint64_t)pinsight_slot_integer(file->data + offset + slot.offset, slot)
                      : 0;
}

#endif

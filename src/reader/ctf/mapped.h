/* A stream file, mapped, and how far its packets can be trusted. */
#ifndef PINSIGHT_READER_CTF_MAPPED_H
#define PINSIGHT_READER_CTF_MAPPED_H

#include "reader/ctf/class.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Eight bytes behind the file can be read. */
struct ctf_file {
    char *path;
    const struct ctf_trace *trace;
    struct ctf_stream_class *class; /* of its first packet */
    const unsigned char *data;
    size_t mapped;       /* bytes of the mapping */
    uint64_t size;       /* of what is there of it: */
    uint64_t file_size;  /* of the file, as far as it is read */
    uint64_t whole_size; /* of the whole packets at its start */
    uint64_t cut_size;   /* what is there of the packet after them, where its head can be trusted */
    uint64_t first_begin, instance;
    bool has_instance;
    bool is_short;        /* it was longer, which was said */
    bool is_copy;         /* its bytes are in memory alone */
    bool is_disordered;   /* its packets were not in the order of their numbers; they are now: */
    uint64_t twice, late; /* packets that were there again and are left out; that stood too late */
};

enum ctf_file_state {
    CTF_FILE_WHOLE,   /* nothing but whole packets */
    CTF_FILE_CUT,     /* something can be read: whole_size + cut_size is not 0 */
    CTF_FILE_LOST,    /* nothing can */
    CTF_FILE_FOREIGN, /* no packet of the trace stands at its start */
    CTF_FILE_UNKNOWN, /* its first packet is of a stream that the trace does not describe */
    CTF_FILE_EMPTY,
    CTF_FILE_CLOSED, /* errno says why it cannot be read */
    CTF_FILE_OTHER,  /* not a regular file */
};

/* Opens a file of a trace, of which so many bytes are read at most. Whatever comes of it,
 * ctf_file_close has to follow. */
enum ctf_file_state ctf_file_open(struct ctf_file *file, const struct ctf_trace *trace,
                                  const char *path, uint64_t most);

/* The same of bytes in memory: a mapping of `mapped` bytes, which the file takes over. */
enum ctf_file_state ctf_file_take(struct ctf_file *file, const struct ctf_trace *trace,
                                  const char *path, const unsigned char *data, size_t size,
                                  size_t mapped);

void ctf_file_close(struct ctf_file *file);

/* Lets go of the memory of what stands before a place in the file, so that a large trace does not
 * stay in memory. It can be read again. *released is 0 at first, and how far that was done. */
void ctf_file_release(const struct ctf_file *file, uint64_t *released, uint64_t until);

/* A number in the head of the packet at `offset`, which has to be there; 0 where the trace has no
 * such field. */
static inline uint64_t ctf_file_number(const struct ctf_file *file, uint64_t offset,
                                       struct pinsight_slot slot) {
    return slot.there ? (uint64_t)pinsight_slot_integer(file->data + offset + slot.offset, slot)
                      : 0;
}

#endif

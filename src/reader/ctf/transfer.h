/* Transfers the results of a process that reads a trace to another process, as bytes: the events
 * with their classes, the warnings, and the result. The receiving process trusts no byte, because
 * damaged input may have corrupted the reading process. Not thread-safe. */
#ifndef PINSIGHT_READER_CTF_TRANSFER_H
#define PINSIGHT_READER_CTF_TRANSFER_H

#include "reader/ctf/bind.h"
#include "reader/ctf/source.h"

/* The sending end. All zero, except for members that are set before the first event. */
struct ctf_sender {
    int fd; /* descriptor to write to; the caller's */
    const struct pinsight_source_result *result;
    unsigned char *bytes; /* events that have not been written */
    size_t used, capacity;
    bool *sent; /* whether a binding was sent, by its number */
    size_t sent_count;
    size_t warned; /* number of warnings that were written */
    bool failed;   /* the receiver takes no more */
};

/* Adds an event, and writes many at once. Returns 0, or -1 if the receiver takes no more. */
int ctf_sender_add(struct ctf_sender *sender, const struct pinsight_event *event);

/* Writes the remaining events, and the result with `rc`, the reader's return value. */
void ctf_sender_end(struct ctf_sender *sender, int rc);

void ctf_sender_clear(struct ctf_sender *sender);

enum ctf_transfer_state {
    CTF_TRANSFER_MORE,   /* more data must come */
    CTF_TRANSFER_ENDED,  /* all data came; rc is set */
    CTF_TRANSFER_ENOUGH, /* the receiver wants no more */
    CTF_TRANSFER_BROKEN, /* the data is not in the sender's form */
};

/* The receiving end. All zero, except for options and result, which are the caller's. */
struct ctf_receiver {
    const struct pinsight_source_options *options;
    struct pinsight_source_result *result; /* gets events, warnings and all other results */
    unsigned char *bytes;                  /* received data that has not been used */
    size_t used, capacity;
    struct pinsight_bindings bindings;
    struct pinsight_binding **by_number;
    size_t binding_count;
    size_t short_capacity;
    int rc; /* the reader's return value, with result->error */
};

/* Returns a buffer for the next bytes; *room is its size. */
unsigned char *ctf_receiver_room(struct ctf_receiver *receiver, size_t *room);

/* Uses `came` bytes in that buffer, and passes on their events. */
enum ctf_transfer_state ctf_receiver_take(struct ctf_receiver *receiver, size_t came);

void ctf_receiver_clear(struct ctf_receiver *receiver);

#endif

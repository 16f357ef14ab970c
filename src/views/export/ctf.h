/* The interface between the parts of the form CTF: its events, and the files that hold them. Not
 * thread-safe. */
#ifndef PINSIGHT_VIEWS_CTF_H
#define PINSIGHT_VIEWS_CTF_H

#include "base/map.h"
#include "reader/ctf/event.h"
#include "views/export/folder.h"

/* ---- ctf_names.c: events with names ---- */

/* An event in the form in which it is written. */
struct pinsight_ctf_event {
    enum pinsight_event_id id; /* PINSIGHT_EVENT_UNKNOWN: the event is not written */
    uint64_t ns;
    int64_t vpid, vtid; /* -1 if unknown */
    /* Values by the fields of the event's description, each a number or a text. */
    struct pinsight_ctf_value {
        uint64_t number;
        const char *text; /* lives until the next event */
    } values[PINSIGHT_EVENT_MAX_FIELDS];
};

/* The objects that events refer to by number. All zero is empty. */
struct pinsight_ctf_names {
    struct pinsight_map codes; /* index in `ids`, by process and code object */
    uint64_t *ids;             /* identities of code objects */
    size_t id_count, id_capacity;
    struct pinsight_map threads; /* index in `stacks`, by thread */
    struct pinsight_ctf_stack {
        uint64_t *ids; /* identities: of a function's own code, or of a C call's caller */
        size_t count, capacity;
    } * stacks; /* by the depth of a frame */
    size_t stack_count, stack_capacity;
};

/* Makes the written form of an event, with names in place of numbers. Must be called before the
 * model takes an event, but after it takes a definition. */
void pinsight_ctf_name(struct pinsight_ctf_names *names, struct pinsight_model *model,
                       const struct pinsight_event *event, struct pinsight_ctf_event *made);

void pinsight_ctf_names_clear(struct pinsight_ctf_names *names);

/* ---- ctf_files.c: the folder of a host, and a file for each process ---- */

/* The events of a process, which are written in packets. */
struct pinsight_ctf_file {
    char *path;
    unsigned char uuid[16]; /* of its trace */
    uint64_t instance;      /* the stream's number in its trace */
    unsigned char *bytes;   /* the open packet */
    size_t size, capacity;  /* size 0: no packet is open */
    uint64_t begin_ns;      /* time of the packet's begin */
    uint64_t last_ns;       /* time of the last event */
    uint64_t sequence;      /* number of the packet */
    uint64_t discarded;     /* events that were discarded before the packet's end */
    char *error;            /* the first failure, or NULL; owned */
};

/* Makes the folder of a host's trace below `top`, with its metadata, and sets its identity. Returns
 * its path, which the caller frees. Returns NULL with *error set if it fails. */
char *pinsight_ctf_folder_make(const char *top, const char *host, unsigned char uuid[16],
                               char **error);

void pinsight_ctf_file_put(struct pinsight_ctf_file *file, const struct pinsight_ctf_event *event);

/* Begins with an empty packet. A reader sees from it that the trace continues an earlier one. */
void pinsight_ctf_file_go_on(struct pinsight_ctf_file *file, uint64_t ns);

/* Ends the open packet at a time, but not before its last event. Does nothing without an open
 * packet. */
void pinsight_ctf_file_flush(struct pinsight_ctf_file *file, uint64_t until_ns);

/* Ends the last packet. `discarded` more events and `packets` packets are lost. */
void pinsight_ctf_file_end(struct pinsight_ctf_file *file, uint64_t until_ns, uint64_t discarded,
                           uint64_t packets);

void pinsight_ctf_file_clear(struct pinsight_ctf_file *file);

/* Copies the files that a run left beside its trace. A chunk has none. Returns NULL, or an error
 * that the caller frees. */
char *pinsight_ctf_copy_run(const char *trace, const char *top);

#endif

/* Between the parts of the form CTF: what an event is in it, and the files that hold them. Not
 * thread-safe. */
#ifndef PINSIGHT_VIEWS_CTF_H
#define PINSIGHT_VIEWS_CTF_H

#include "base/map.h"
#include "reader/ctf/event.h"
#include "views/export/folder.h"

/* ---- ctf_names.c: events with names ---- */

/* An event as it is written. */
struct pinsight_ctf_event {
    enum pinsight_event_id id; /* PINSIGHT_EVENT_UNKNOWN: it says nothing new */
    uint64_t ns;
    int64_t vpid, vtid; /* -1 where not known */
    /* By the fields of its description: of a number or a text. */
    struct pinsight_ctf_value {
        uint64_t number;
        const char *text; /* lives until the next event */
    } values[PINSIGHT_EVENT_MAX_FIELDS];
};

/* What events with numbers for names refer to. All zero is empty. */
struct pinsight_ctf_names {
    struct pinsight_map codes; /* by process and code object: a place in `ids` */
    uint64_t *ids;             /* identities of code objects */
    size_t id_count, id_capacity;
    struct pinsight_map threads; /* by thread: a place in `stacks` */
    struct pinsight_ctf_stack {
        uint64_t *ids; /* of a function the identity of its code, of a C call that of its caller */
        size_t count, capacity;
    } * stacks; /* by the depth of a frame */
    size_t stack_count, stack_capacity;
};

/* Makes of an event what is written: with names in place of numbers. To be called before the model
 * takes the event, but after it took a definition. */
void pinsight_ctf_name(struct pinsight_ctf_names *names, struct pinsight_model *model,
                       const struct pinsight_event *event, struct pinsight_ctf_event *made);

void pinsight_ctf_names_clear(struct pinsight_ctf_names *names);

/* ---- ctf_files.c: the folder of a host, and a file for each process ---- */

/* The events of a process, in packets. */
struct pinsight_ctf_file {
    char *path;
    unsigned char uuid[16]; /* of its trace */
    uint64_t instance;      /* of the stream, in its trace */
    unsigned char *bytes;   /* the packet */
    size_t size, capacity;  /* 0: none is begun */
    uint64_t begin_ns;      /* of the packet */
    uint64_t last_ns;       /* of the last event */
    uint64_t sequence;      /* of the packet */
    uint64_t discarded;     /* events, before the packet's end */
    char *error;            /* what went wrong, or NULL; owned */
};

/* Makes the folder of a trace below `top`, with its metadata; `host` is where it was recorded. Sets
 * its identity. Returns its path, which the caller frees, or NULL with *error set. */
char *pinsight_ctf_folder_make(const char *top, const char *host, unsigned char uuid[16],
                               char **error);

void pinsight_ctf_file_put(struct pinsight_ctf_file *file, const struct pinsight_ctf_event *event);

/* Begins with an empty packet, as a trace does that goes on from another one. */
void pinsight_ctf_file_go_on(struct pinsight_ctf_file *file, uint64_t ns);

/* Ends the packet, at a time that is not before its last event; a next one may follow. Nothing
 * without one. */
void pinsight_ctf_file_flush(struct pinsight_ctf_file *file, uint64_t until_ns);

/* The last packet: so many events more, and packets, are lost. */
void pinsight_ctf_file_end(struct pinsight_ctf_file *file, uint64_t until_ns, uint64_t discarded,
                           uint64_t packets);

void pinsight_ctf_file_clear(struct pinsight_ctf_file *file);

/* Copies what a run left beside its trace, if it did; of a chunk there is nothing. Returns NULL or
 * what went wrong. */
char *pinsight_ctf_copy_run(const char *trace, const char *top);

#endif

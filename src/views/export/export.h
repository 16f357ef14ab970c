/* Writing a trace in the form of another tool, slice by slice while it is read: what is kept is
 * what is open and the names, not the trace. Not thread-safe. */
#ifndef PINSIGHT_VIEWS_EXPORT_H
#define PINSIGHT_VIEWS_EXPORT_H

#include "reader/ctf/event.h"
#include "reader/ctf/result.h"
#include "reader/timeline.h"
#include "views/slice_text.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct pinsight_export_options {
    const char *trace;     /* folder */
    const char *output;    /* file or folder; "-" is stdout */
    int64_t thread;        /* Python thread number or OS thread id, -1 for all */
    int64_t process;       /* process id, -1 for all */
    uint64_t threshold_ns; /* what takes less is left out, by forms that can; 0 for nothing */
    bool force;            /* an output that is there is replaced */
    bool progress;
    const volatile sig_atomic_t *stop; /* see struct pinsight_source_options; may be NULL */
};

struct pinsight_export;
struct pinsight_profile_form;

/* A form, one file each. */
struct pinsight_export_format {
    const char *name;    /* as --to has it */
    const char *suffix;  /* of a file's name: ".json" */
    const char *about;   /* what reads it, in a few words */
    bool folder;         /* writes a folder, and opens it itself: `out` is NULL */
    const char *entries; /* of a folder: what is in one, as wildcards with a blank between */
    const char *counted; /* what export->slices counts; NULL for slices */
    bool threshold;      /* it can leave out what takes less than a time */
    /* It is a profile (views/profile/profile.h), and has nothing of what follows; or NULL. */
    const struct pinsight_profile_form *profile;
    size_t own_size;                   /* of export->own, which is zero at first */
    struct pinsight_timeline timeline; /* what it is told; the data is the export */
    /* Is told each event, and names of earlier chunks, see struct trace_observers; or NULL. */
    void (*event)(struct pinsight_export *export, const struct pinsight_event *event);
    /* Writes the head; export->timeline is the form's, and may be changed. Returns 0, or -1 with
     * export->error set. */
    int (*begin)(struct pinsight_export *export);
    /* The trace is read and all slices have ended: writes the rest. Likewise. Not called where
     * writing failed. */
    int (*finish)(struct pinsight_export *export);
    /* Frees what `own` has; also after an error, once `begin` was called. The model is gone, and
     * `gone` was called for each track. */
    void (*clear)(struct pinsight_export *export);
};

/* What a form has that keeps something of its own, a structure, from `begin` to `clear`; they are
 * functions of its file. */
#define PINSIGHT_EXPORT_FORM(of_name, of_suffix, of_about, own)                                    \
    .name = of_name, .suffix = of_suffix, .about = of_about, .own_size = sizeof(own),              \
    .begin = begin, .finish = finish, .clear = clear

/* The timeline of a form that shows all that there is. */
#define PINSIGHT_EXPORT_TIMELINE                                                                   \
    .timeline.streams = true, .timeline.ranges = true, .timeline.tasks = true,                     \
    .timeline.begin = write_begin, .timeline.end = write_end, .timeline.flow = show_flow,          \
    .timeline.instant = write_instant, .timeline.gone = write_gone

struct pinsight_export {
    const struct pinsight_export_format *format;
    const struct pinsight_export_options *options;
    struct pinsight_model *model;
    struct pinsight_source_result source; /* complete in `finish` */
    struct pinsight_timeline timeline;
    struct pinsight_slice_texts texts;
    FILE *out;    /* errors of writing are looked for by who calls */
    char *target; /* where links lead that the output's name is; owned, NULL for a new file */
    char *error;  /* what went wrong, and the cure; owned */
    char *note;   /* what who reads the output has to know, or NULL; owned */
    bool stop;    /* no more events, please: an error was set */
    bool unread;  /* and it is that who reads the output has closed it: for them all is well */
    uint64_t slices;
    void *own; /* the form's; NULL before `begin` */
};

/* All forms, ended by one without a name. */
extern const struct pinsight_export_format *const pinsight_export_formats[];

/* Reads the trace and writes the output: into a file beside it first, which takes the output's
 * name when all is written. Returns 0 (export->source says what of the trace is damaged), or -1
 * with export->error set; then nothing is left behind. The caller clears. */
int pinsight_export_write(struct pinsight_export *export,
                          const struct pinsight_export_format *format,
                          const struct pinsight_export_options *options);
void pinsight_export_clear(struct pinsight_export *export);

#endif

/* Writes a trace in the form of another tool, slice by slice as it is read. Memory holds the open
 * slices and the names, not the trace. Not thread-safe. */
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

/* The files whose text a page has. */
enum pinsight_export_sources {
    PINSIGHT_SOURCES_USER, /* those of the user's functions */
    PINSIGHT_SOURCES_ALL,  /* also those of libraries' functions that ran */
    PINSIGHT_SOURCES_NONE,
};

struct pinsight_export_options {
    const char *trace;     /* path of its folder */
    const char *output;    /* file or folder; "-" is stdout */
    int64_t thread;        /* Python thread number or OS thread id; -1: all */
    int64_t process;       /* process id; -1: all */
    const char *region;    /* only the time of the regions with this name; NULL: all */
    uint64_t threshold_ns; /* shorter slices are left out by forms that can; 0: none */
    int sources;           /* of forms that have sources: enum pinsight_export_sources */
    bool force;            /* an existing output is replaced */
    bool progress;
    const volatile sig_atomic_t *stop; /* see struct pinsight_source_options; may be NULL */
};

struct pinsight_export;
struct pinsight_profile_form;

/* A form. Each has a file of its own. */
struct pinsight_export_format {
    const char *name;    /* value of --to */
    const char *suffix;  /* of the file's name, such as ".json" */
    const char *about;   /* the tools that read the form, in a few words */
    bool folder;         /* it writes a folder, and opens it itself: `out` is NULL */
    const char *entries; /* wildcards of the entries in such a folder, with blanks between them */
    const char *counted; /* the things that export->slices counts; NULL: slices */
    bool threshold;      /* it supports threshold_ns */
    bool sources;        /* it has sources */
    /* A profile (views/profile/profile.h), which has none of the members below; or NULL. */
    const struct pinsight_profile_form *profile;
    size_t own_size;                   /* size of export->own in bytes, which is zeroed */
    struct pinsight_timeline timeline; /* the functions it needs; their data is the export */
    /* Receives each event, and names of earlier chunks, see struct trace_observers; or NULL. */
    void (*event)(struct pinsight_export *export, const struct pinsight_event *event);
    /* Writes the head. The form owns export->timeline, and may change it. Returns 0, or -1 with
     * export->error set. */
    int (*begin)(struct pinsight_export *export);
    /* Writes the rest, after all slices have ended. Returns 0, or -1 with export->error set. Not
     * called if writing failed. */
    int (*finish)(struct pinsight_export *export);
    /* Frees the contents of `own`. Called after an error, too, if `begin` was called. The model is
     * freed before it, and `gone` was called for each track. */
    void (*clear)(struct pinsight_export *export);
};

/* The members of a form that keeps a structure from `begin` to `clear`. The functions belong to its
 * file. */
#define PINSIGHT_EXPORT_FORM(of_name, of_suffix, of_about, own)                                    \
    .name = of_name, .suffix = of_suffix, .about = of_about, .own_size = sizeof(own),              \
    .begin = begin, .finish = finish, .clear = clear

/* The timeline of a form that shows everything. */
#define PINSIGHT_EXPORT_TIMELINE                                                                   \
    .timeline.streams = true, .timeline.ranges = true, .timeline.tasks = true,                     \
    .timeline.begin = write_begin, .timeline.end = write_end, .timeline.flow = show_flow,          \
    .timeline.instant = write_instant, .timeline.value = write_value,                              \
    .timeline.memory = write_memory, .timeline.gone = write_gone

struct pinsight_export {
    const struct pinsight_export_format *format;
    const struct pinsight_export_options *options;
    struct pinsight_model *model;
    struct pinsight_source_result source; /* complete in `finish` */
    struct pinsight_timeline timeline;
    struct pinsight_slice_texts texts;
    FILE *out;    /* the caller of the form looks for errors of writing */
    char *target; /* the file behind links of the output's name; owned; NULL for a new file */
    char *error;  /* the failure and its cure; owned */
    char *note;   /* a remark for the reader of the output, or NULL; owned */
    bool stop;    /* an error was set, and no further events are wanted */
    bool unread;  /* `stop`, because the reader of the output has closed it: no failure for the user
                   */
    uint64_t slices;
    void *own; /* the form's structure; NULL before `begin` */
};

/* All forms. The list ends with NULL. */
extern const struct pinsight_export_format *const pinsight_export_formats[];

/* Reads the trace and writes the output. A new file gets the output's name when it is complete.
 * Returns 0, with damages of the trace in export->source. Returns -1 with export->error set, and
 * leaves no file behind. The caller clears `export`. */
int pinsight_export_write(struct pinsight_export *export,
                          const struct pinsight_export_format *format,
                          const struct pinsight_export_options *options);
void pinsight_export_clear(struct pinsight_export *export);

#endif

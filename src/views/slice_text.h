/* What a slice of the timeline is called, for every view that shows slices. Not thread-safe. */
#ifndef PINSIGHT_VIEWS_SLICE_TEXT_H
#define PINSIGHT_VIEWS_SLICE_TEXT_H

#include "reader/timeline.h"

struct pinsight_native_lines;

/* Names that were made, kept for the next slice of the same place. */
struct pinsight_slice_texts {
    const struct pinsight_model *model;
    struct pinsight_native_lines *lines;
    char **places; /* names with a place in native code, by a number of their domain's */
    size_t place_count;
};

/* Texts live as long as the struct pinsight_slice_texts, or the model. */
struct pinsight_slice_text {
    const char *name;     /* any bytes; never NULL or empty */
    const char *category; /* "python", "mpi": see views/domain.h */
    const char *file;     /* of a function its own, of a C call its caller's, of native work the
                             user's line's; "" where not known */
    int32_t line;         /* in that file; 0 where not known */
    const char *module;   /* of a function or C call; "" where not known */
};

void pinsight_slice_texts_make(struct pinsight_slice_texts *texts,
                               const struct pinsight_model *model);
void pinsight_slice_texts_clear(struct pinsight_slice_texts *texts);

void pinsight_slice_text(struct pinsight_slice_texts *texts, const struct pinsight_slice *slice,
                         struct pinsight_slice_text *text);

/* For domains: what something does, with its place in native code: "parallel in dgemm_kernel". It
 * is kept under a number, which the caller chooses, as long as `texts`. */
const char *pinsight_slice_texts_place(struct pinsight_slice_texts *texts, uint32_t number,
                                       const char *what, uint32_t native);

/* The name of a track: of its thread, or "thread 4711". Into a buffer; returns it. */
char *pinsight_track_name(const struct pinsight_model *model, const struct pinsight_track *track,
                          char *buffer, size_t size);

/* Where a row of csv and parquet is: in a thread, or in a stream. */
struct pinsight_row_place {
    int64_t pid;
    int64_t python_thread;           /* -1 without Python */
    int64_t device, context, stream; /* -1 of a thread */
    uint32_t tid;                    /* 0 of a stream */
};

struct pinsight_row_place pinsight_row_place_of(const struct pinsight_track *track);

/* The rank of a track's process, -1 without MPI. */
int32_t pinsight_track_rank(const struct pinsight_track *track);

/* The name of a process, with its program: see view_process_full_name. Into a buffer; returns it.
 */
char *pinsight_track_process_name(const struct pinsight_model *model,
                                  const struct pinsight_process *process, char *buffer,
                                  size_t size);

#endif

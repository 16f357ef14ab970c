/* Names of slices, for every view that shows slices. Not thread-safe. */
#ifndef PINSIGHT_VIEWS_SLICE_TEXT_H
#define PINSIGHT_VIEWS_SLICE_TEXT_H

#include "reader/timeline.h"

struct pinsight_native_lines;

/* Names that were made. The next slice at the same place uses them again. */
struct pinsight_slice_texts {
    const struct pinsight_model *model;
    struct pinsight_native_lines *lines;
    char **places; /* names with a native place, by a number that their domain chooses */
    size_t place_count;
};

/* The texts of a slice, which live as long as the struct pinsight_slice_texts, or as long as the
 * model. */
struct pinsight_slice_text {
    const char *name;     /* any bytes; never NULL nor empty */
    const char *category; /* such as "python" or "mpi", see views/domain.h */
    const char *file; /* of the function; of the caller for a C call; of the user's line for native
                         work; "" if unknown */
    int32_t line;     /* in that file; 0 if unknown */
    const char *module; /* of a function or C call; "" if unknown */
};

void pinsight_slice_texts_make(struct pinsight_slice_texts *texts,
                               const struct pinsight_model *model);
void pinsight_slice_texts_clear(struct pinsight_slice_texts *texts);

void pinsight_slice_text(struct pinsight_slice_texts *texts, const struct pinsight_slice *slice,
                         struct pinsight_slice_text *text);

/* Used by domains: returns an action with its native place, such as "parallel in dgemm_kernel". The
 * caller chooses the number that the text is kept under. The text lives as long as `texts`. */
const char *pinsight_slice_texts_place(struct pinsight_slice_texts *texts, uint32_t number,
                                       const char *what, uint32_t native);

/* Writes the name of a track to a buffer, and returns the buffer. The name is that of the thread,
 * or "thread 4711". */
char *pinsight_track_name(const struct pinsight_model *model, const struct pinsight_track *track,
                          char *buffer, size_t size);

/* The thread or the stream of a row in CSV and Parquet. */
struct pinsight_row_place {
    int64_t pid;
    int64_t python_thread;           /* -1 without Python */
    int64_t device, context, stream; /* -1 for a thread */
    uint32_t tid;                    /* 0 for a stream */
};

struct pinsight_row_place pinsight_row_place_of(const struct pinsight_track *track);

/* Returns the rank of a track's process, or -1 without MPI. */
int32_t pinsight_track_rank(const struct pinsight_track *track);

/* Writes the name of a process with its program to a buffer, and returns the buffer; see
 * view_process_full_name. */
char *pinsight_track_process_name(const struct pinsight_model *model,
                                  const struct pinsight_process *process, char *buffer,
                                  size_t size);

#endif

/* Details that a viewer shows of a slice, besides its name and times. Each has a key, which is
 * equal in all forms. Not thread-safe. */
#ifndef PINSIGHT_VIEWS_SLICE_DETAILS_H
#define PINSIGHT_VIEWS_SLICE_DETAILS_H

#include "views/slice_text.h"

enum pinsight_detail_kind {
    PINSIGHT_DETAIL_TEXT,
    PINSIGHT_DETAIL_NUMBER, /* signed */
    PINSIGHT_DETAIL_SIZE,
    PINSIGHT_DETAIL_ADDRESS,
    PINSIGHT_DETAIL_FLAG, /* always true; the number is 1 */
};

struct pinsight_slice_detail {
    const char *key;
    enum pinsight_detail_kind kind;
    uint64_t number;
    const char *text; /* lives as long as the model; NULL unless the kind is TEXT */
};

/* Receives details one by one. `data` belongs to the view. */
struct pinsight_slice_details {
    const struct pinsight_model *model; /* set by pinsight_slice_details() */
    void *data;
    void (*add)(void *data, const struct pinsight_slice_detail *detail);
};

static inline void pinsight_detail_text(const struct pinsight_slice_details *details,
                                        const char *key, const char *text) {
    details->add(details->data, &(struct pinsight_slice_detail){.key = key, .text = text});
}

/* Adds a detail that is no text. */
static inline void pinsight_detail(const struct pinsight_slice_details *details, const char *key,
                                   enum pinsight_detail_kind kind, uint64_t number) {
    details->add(details->data, &(struct pinsight_slice_detail){key, kind, number, NULL});
}

/* Passes on the details of a slice that begins. The details are the line of Python (for native work
 * the user's line), the native place, and an MPI call's arguments. There are at most 10. */
void pinsight_slice_details(const struct pinsight_model *model, const struct pinsight_slice *slice,
                            const struct pinsight_slice_text *text,
                            const struct pinsight_slice_details *details);

/* Passes on the details of a slice that ends, which were unknown at its begin. There are at most
 * 2. */
void pinsight_slice_end_details(const struct pinsight_slice *slice,
                                const struct pinsight_slice_details *details);

#endif

/* What a viewer shows of a slice beside its name and times, each by a key that is the same in every
 * form. Not thread-safe. */
#ifndef PINSIGHT_VIEWS_SLICE_DETAILS_H
#define PINSIGHT_VIEWS_SLICE_DETAILS_H

#include "views/slice_text.h"

enum pinsight_detail_kind {
    PINSIGHT_DETAIL_TEXT,
    PINSIGHT_DETAIL_NUMBER, /* signed */
    PINSIGHT_DETAIL_SIZE,
    PINSIGHT_DETAIL_ADDRESS,
    PINSIGHT_DETAIL_FLAG, /* it is so; the number is 1 */
};

struct pinsight_slice_detail {
    const char *key;
    enum pinsight_detail_kind kind;
    uint64_t number;
    const char *text; /* lives as long as the model; NULL of the other kinds */
};

/* Takes the details, one each; `data` is the view's. */
struct pinsight_slice_details {
    void *data;
    void (*add)(void *data, const struct pinsight_slice_detail *detail);
};

static inline void pinsight_detail_text(const struct pinsight_slice_details *details,
                                        const char *key, const char *text) {
    details->add(details->data, &(struct pinsight_slice_detail){.key = key, .text = text});
}

/* Of another kind. */
static inline void pinsight_detail(const struct pinsight_slice_details *details, const char *key,
                                   enum pinsight_detail_kind kind, uint64_t number) {
    details->add(details->data, &(struct pinsight_slice_detail){key, kind, number, NULL});
}

/* Of a slice that begins: where it is in Python (of native work the user's line) and in native
 * code, and what an MPI call was called with. At most 8. */
void pinsight_slice_details(const struct pinsight_model *model, const struct pinsight_slice *slice,
                            const struct pinsight_slice_text *text,
                            const struct pinsight_slice_details *details);

/* Of a slice that ends: what was not known when it began. At most 2. */
void pinsight_slice_end_details(const struct pinsight_slice *slice,
                                const struct pinsight_slice_details *details);

#endif

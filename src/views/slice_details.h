/* What a viewer shows of a slice beside its name and times, each by a key that is the same in every
 * form. Not thread-safe. */
#ifndef PINSIGHT_VIEWS_SLICE_DETAILS_H
#define PINSIGHT_VIEWS_SLICE_DETAILS_H

#include "views/slice_text.h"

/* Takes one detail each; `data` is the view's. Texts live as long as the model. */
struct pinsight_slice_details {
    void *data;
    void (*text)(void *data, const char *key, const char *text);
    void (*number)(void *data, const char *key, int64_t number);
    void (*size)(void *data, const char *key, uint64_t size);
    void (*address)(void *data, const char *key, uint64_t address);
    void (*flag)(void *data, const char *key); /* it is so */
};

/* Of a slice that begins: where it is in Python (of native work the user's line) and in native
 * code, and what an MPI call was called with. At most 8. */
void pinsight_slice_details(const struct pinsight_model *model, const struct pinsight_slice *slice,
                            const struct pinsight_slice_text *text,
                            const struct pinsight_slice_details *details);

#endif

/* What the forms that are profiles have in common: they write the calling contexts of the whole run
 * when it is read. */
#ifndef PINSIGHT_VIEWS_EXPORT_CONTEXTS_H
#define PINSIGHT_VIEWS_EXPORT_CONTEXTS_H

#include "views/contexts.h"
#include "views/export/export.h"

/* For a form's `begin`: export->own is the contexts from then on, whose options may be set. */
struct pinsight_contexts *pinsight_export_contexts_begin(struct pinsight_export *export);

/* For `finish`: gives names (see pinsight_contexts_name) and returns the contexts. */
struct pinsight_contexts *pinsight_export_contexts_finish(struct pinsight_export *export,
                                                          const char *avoid);

/* Of a frame's file what is behind site-packages, or its last part. */
const char *pinsight_context_short_file(const struct pinsight_context_frame *frame);

/* For `clear`. */
void pinsight_export_contexts_clear(struct pinsight_export *export);

/* The name of a tree's process, or of its process and thread or stream; escaped, to be freed. */
char *pinsight_context_root_name(const struct pinsight_contexts *contexts, uint32_t root,
                                 const char *avoid);

/* Whether what runs is a Python function. */
static inline bool pinsight_context_is_python(const struct pinsight_context_frame *frame) {
    return frame->kind == PINSIGHT_SLICE_FUNCTION;
}

#endif

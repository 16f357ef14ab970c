/* What the forms that are profiles have in common: they write the calling contexts of the whole run
 * when it is read. */
#ifndef PINSIGHT_VIEWS_EXPORT_CONTEXTS_H
#define PINSIGHT_VIEWS_EXPORT_CONTEXTS_H

#include "views/contexts.h"
#include "views/export/export.h"

/* What a form that is a profile has in place of functions of its own: export->own is the contexts.
 */
struct pinsight_profile_form {
    enum pinsight_contexts_by by;
    bool lines, flat;  /* see struct pinsight_contexts */
    bool streams;      /* devices have trees, too */
    const char *avoid; /* see pinsight_contexts_name; NULL for "" */
    /* Writes the contexts, which have their names. */
    void (*write)(struct pinsight_export *export, const struct pinsight_contexts *contexts);
};

/* What `begin` and `finish` are to other forms. */
void pinsight_profile_begin(struct pinsight_export *export);
void pinsight_profile_finish(struct pinsight_export *export);

/* Of a frame's file what is behind site-packages, or its last part. */
const char *pinsight_context_short_file(const struct pinsight_context_frame *frame);

/* The name of a tree's process, or of its process and thread or stream; escaped, to be freed. */
char *pinsight_context_root_name(const struct pinsight_contexts *contexts, uint32_t root,
                                 const char *avoid);

/* Whether what runs is a Python function. */
static inline bool pinsight_context_is_python(const struct pinsight_context_frame *frame) {
    return frame->kind == PINSIGHT_SLICE_FUNCTION;
}

#endif

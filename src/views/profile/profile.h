/* The common part of the forms that are profiles. A profile has the calling contexts of the whole
 * run, and is written after the trace was read. */
#ifndef PINSIGHT_VIEWS_EXPORT_CONTEXTS_H
#define PINSIGHT_VIEWS_EXPORT_CONTEXTS_H

#include "views/contexts.h"
#include "views/export/export.h"

/* Describes a profile. Such a form has no functions of its own, and export->own is its contexts. */
struct pinsight_profile_form {
    enum pinsight_contexts_by by;
    bool lines, flat;  /* see struct pinsight_contexts */
    bool streams;      /* devices have trees, too */
    const char *avoid; /* see pinsight_contexts_name; NULL for "" */
    /* Writes the contexts, after their frames were named. */
    void (*write)(struct pinsight_export *export, const struct pinsight_contexts *contexts);
};

/* The `begin` and `finish` of all profiles. */
void pinsight_profile_begin(struct pinsight_export *export);
void pinsight_profile_finish(struct pinsight_export *export);

/* Returns the part of a frame's file after site-packages, or else its last component. */
const char *pinsight_context_short_file(const struct pinsight_context_frame *frame);

/* Returns the name of a tree: of a process, or of a process with its thread or stream. The name is
 * escaped, and the caller frees it. */
char *pinsight_context_root_name(const struct pinsight_contexts *contexts, uint32_t root,
                                 const char *avoid);

/* Returns whether a frame is a Python function. */
static inline bool pinsight_context_is_python(const struct pinsight_context_frame *frame) {
    return frame->kind == PINSIGHT_SLICE_FUNCTION;
}

#endif

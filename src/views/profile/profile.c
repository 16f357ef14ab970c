/* The common part of profiles; see profile.h. */
#include "views/profile/profile.h"

#include "base/escape.h"
#include "base/memory.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pinsight_profile_begin(struct pinsight_export *export) {
    const struct pinsight_profile_form *profile = export->format->profile;
    struct pinsight_contexts *contexts = export->own;

    pinsight_contexts_make(contexts, export->model, &export->timeline);
    contexts->by = profile->by;
    contexts->lines = profile->lines;
    contexts->flat = profile->flat;
    export->timeline.streams = profile->streams;
}

void pinsight_profile_finish(struct pinsight_export *export) {
    const struct pinsight_profile_form *profile = export->format->profile;
    struct pinsight_contexts *contexts = export->own;

    pinsight_contexts_add_counted(contexts);
    export->slices = contexts->slices;
    pinsight_contexts_name(contexts, &export->texts, profile->avoid ? profile->avoid : "");
    if (contexts->merged && !export->note)
        export->note = pinsight_format(
            "there are more than %" PRIu32 " call paths: %" PRIu64
            " calls on others count as the time of what called them; export one thread "
            "(--thread), or record less (module_filter)",
            contexts->most, contexts->merged);
    profile->write(export, contexts);
}

char *pinsight_context_root_name(const struct pinsight_contexts *contexts, uint32_t root,
                                 const char *avoid) {
    const struct pinsight_track *track = contexts->roots[root].track;
    char process[256], thread[256], whole[520];

    if (!track)
        return pinsight_strdup("?");
    pinsight_track_process_name(contexts->model, pinsight_track_process(track), process,
                                sizeof(process));
    if (contexts->by == PINSIGHT_CONTEXTS_BY_PROCESS && !contexts->roots[root].device)
        return pinsight_escape(process, avoid);
    pinsight_track_name(contexts->model, track, thread, sizeof(thread));
    snprintf(whole, sizeof(whole), "%s: %s", process, thread);
    return pinsight_escape(whole, avoid);
}

const char *pinsight_context_short_file(const struct pinsight_context_frame *frame) {
    const char *packages = strstr(frame->file, "-packages/");

    if (packages)
        return packages + strlen("-packages/");
    return pinsight_text_file(frame->file);
}

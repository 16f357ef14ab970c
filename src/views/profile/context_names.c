/* Names the frames of calling contexts; see contexts.h. */
#include "base/escape.h"
#include "base/memory.h"
#include "views/contexts.h"
#include "views/domain.h"
#include "views/slice_text.h"

#include <stdlib.h>
#include <string.h>

/* Fills in the text of one of the frame's slices. A path may name Python without a function. */
static void text_of(struct pinsight_slice_texts *texts, const struct pinsight_context_frame *frame,
                    struct pinsight_slice_text *text) {
    struct pinsight_slice slice = pinsight_slice_of(frame->kind, frame->sample, 0);

    if (frame->kind == PINSIGHT_SLICE_FUNCTION && frame->id == PINSIGHT_NONE) {
        *text = (struct pinsight_slice_text){.name = "?", .file = ""};
        return;
    }
    pinsight_slice_text(texts, &slice, text);
    if (frame->kind != PINSIGHT_SLICE_FUNCTION) {
        /* The file and line are the caller's. */
        text->file = "";
        text->line = 0;
    }
}

void pinsight_contexts_name(struct pinsight_contexts *contexts, struct pinsight_slice_texts *texts,
                            const char *avoid) {
    struct pinsight_strings strings = {0};
    struct pinsight_map names = {0};

    for (uint32_t i = 0; i < contexts->frame_count; i++) {
        struct pinsight_context_frame *frame = &contexts->frames[i];
        bool marked = frame->kind == PINSIGHT_SLICE_MARKED;
        const char *prefix = slice_view_of(frame->kind)->prefix;
        struct pinsight_slice_text text;
        uint32_t name, file, first;
        char *whole;

        text_of(texts, frame, &text);
        whole = pinsight_format("%s%s", prefix ? prefix : "", text.name);
        frame->name = pinsight_escape(whole, avoid);
        frame->file = pinsight_escape(text.file, avoid);
        frame->line = text.line;
        free(whole);
        name = pinsight_strings_add(&strings, frame->name, strlen(frame->name));
        file = pinsight_strings_add(&strings, frame->file, strlen(frame->file));
        /* A name that the program marks may equal another frame's name, and is a frame of its
         * own. */
        first = pinsight_map_get(&names, name, file << 1 | marked, (uint32_t)frame->line);
        frame->same = first == PINSIGHT_MAP_NONE ? i : first;
        if (first == PINSIGHT_MAP_NONE)
            pinsight_map_set(&names, name, file << 1 | marked, (uint32_t)frame->line, i);
    }
    pinsight_strings_clear(&strings);
    pinsight_map_clear(&names);
}

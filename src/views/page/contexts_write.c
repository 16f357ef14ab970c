/* Writes the calling contexts for a page; docs/page.md describes the form. */
#include "base/memory.h"
#include "reader/kit/paths.h"
#include "views/domain.h"
#include "views/page/page.h"

#include <stdlib.h>
#include <string.h>

static bool is_users(const struct pinsight_contexts *contexts,
                     const struct pinsight_context_frame *frame) {
    return frame->kind == PINSIGHT_SLICE_FUNCTION && frame->id != PINSIGHT_NONE &&
           pinsight_function_is_users(contexts->model, frame->id);
}

/* Writes each name once. Frames with equal name, file and line have the same number in `same`. */
static void write_frames(const struct pinsight_contexts *contexts, struct pinsight_json *json) {
    struct pinsight_strings files = {0};

    pinsight_json_open(json, "frames", '[');
    for (size_t i = 0; i < contexts->frame_count; i++) {
        const struct pinsight_context_frame *frame = &contexts->frames[i];

        pinsight_json_open(json, NULL, '[');
        pinsight_json_string(json, NULL, frame->name);
        pinsight_json_unsigned(json, NULL,
                               pinsight_strings_add(&files, frame->file, strlen(frame->file)));
        pinsight_json_signed(json, NULL, frame->line);
        pinsight_json_string(json, NULL, slice_view_of(frame->kind)->category);
        pinsight_json_unsigned(json, NULL, is_users(contexts, frame));
        pinsight_json_unsigned(json, NULL, frame->same);
        pinsight_json_close(json, ']');
    }
    pinsight_json_close(json, ']');
    pinsight_json_open(json, "files", '[');
    for (uint32_t i = 0; i < (uint32_t)files.count; i++)
        pinsight_json_string(json, NULL, pinsight_strings_text(&files, i));
    pinsight_json_close(json, ']');
    pinsight_strings_clear(&files);
}

/* Writes the categories of slices, each with the name of its domain. */
static void write_categories(struct pinsight_json *json) {
    struct pinsight_strings written = {0};

    pinsight_json_open(json, "categories", '[');
    for (unsigned kind = 0; kind < PINSIGHT_SLICE_KINDS; kind++) {
        const struct slice_view *view = slice_view_of(kind);
        const size_t before = written.count;

        if (!view || !view->category ||
            pinsight_strings_add(&written, view->category, strlen(view->category)) < before)
            continue;
        pinsight_json_open(json, NULL, '[');
        pinsight_json_string(json, NULL, view->category);
        pinsight_json_string(json, NULL, reader_domains[slice_domain(kind)]->name);
        pinsight_json_close(json, ']');
    }
    pinsight_json_close(json, ']');
    pinsight_strings_clear(&written);
}

/* Writes columns of nodes. The parent and the frame are indices plus one, and 0 for a root. */
static void write_nodes(const struct pinsight_contexts *contexts, struct page_bytes *bytes) {
    const struct pinsight_context *nodes = contexts->nodes;

    for (size_t i = 0; i < contexts->node_count; i++)
        page_bytes_number(bytes, nodes[i].parent == PINSIGHT_NONE ? 0 : nodes[i].parent + 1);
    for (size_t i = 0; i < contexts->node_count; i++)
        page_bytes_number(bytes, nodes[i].frame == PINSIGHT_NONE ? 0 : nodes[i].frame + 1);
    for (size_t i = 0; i < contexts->node_count; i++)
        page_bytes_number(bytes, nodes[i].line > 0 ? (uint32_t)nodes[i].line : 0);
    for (size_t i = 0; i < contexts->node_count; i++)
        page_bytes_number(bytes, (uint64_t)nodes[i].root << 1 | nodes[i].remote);
    for (size_t i = 0; i < contexts->node_count; i++)
        page_bytes_number(bytes, nodes[i].calls);
    for (size_t i = 0; i < contexts->node_count; i++)
        page_bytes_number(bytes, nodes[i].self_ns);
}

void page_contexts_write(struct page *page, struct pinsight_json *json, struct page_bytes *bytes) {
    struct pinsight_contexts *contexts = &page->contexts;

    pinsight_contexts_add_counted(contexts);
    pinsight_contexts_name(contexts, &page->export->texts, "");
    pinsight_json_open(json, "contexts", '{');
    write_categories(json);
    write_frames(contexts, json);
    pinsight_json_unsigned(json, "nodes", contexts->node_count);
    pinsight_json_unsigned(json, "offset", bytes->count);
    pinsight_json_unsigned(json, "merged", contexts->merged);
    pinsight_json_close(json, '}');
    write_nodes(contexts, bytes);
}

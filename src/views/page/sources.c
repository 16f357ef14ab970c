/* Writes the text of source files for a page. */
#include "base/memory.h"
#include "base/text.h"
#include "views/kit/source_text.h"
#include "views/page/page.h"
#include "views/report/attribution.h"

#include <string.h>

/* The most bytes of the user's files, and of those of libraries. */
#define MOST_SOURCE (4u << 20)

/* The files that are written. */
struct sources {
    struct pinsight_json *json;
    struct pinsight_source_text texts;
    struct pinsight_strings written;
    size_t bytes;    /* of the user's files, or of those of libraries */
    size_t left_out; /* number of files of libraries that are too large together */
};

/* Returns whether a file seems to be Python. A trace may name any file of its reader, and the page
 * may be passed to others. */
static bool is_python(const char *path, const char *text, size_t size) {
    static const char *const suffixes[] = {".py", ".pyw", ".pyx", ".ipy"};
    const char *suffix = strrchr(pinsight_text_file(path), '.');
    const char *end = memchr(text, '\n', size);

    if (memchr(text, '\0', size))
        return false;
    for (size_t i = 0; suffix && i < sizeof(suffixes) / sizeof(*suffixes); i++)
        if (!strcmp(suffix, suffixes[i]))
            return true;
    return size > 2 && !memcmp(text, "#!", 2) && end &&
           memmem(text, (size_t)(end - text), "python", strlen("python"));
}

/* Returns whether no earlier call had the file. */
static bool is_new(struct sources *sources, const char *file) {
    const size_t before = sources->written.count;

    return pinsight_strings_add(&sources->written, file, strlen(file)) >= before;
}

static const char *text_of(struct sources *sources, const char *file, size_t *size) {
    const char *text = pinsight_source_whole(&sources->texts, file, size);

    return text && is_python(file, text, *size) ? text : NULL;
}

static void write_source(struct sources *sources, const char *file, const char *text,
                         bool is_library) {
    pinsight_json_open(sources->json, NULL, '{');
    pinsight_json_string(sources->json, "file", file);
    if (text)
        pinsight_json_string(sources->json, "text", text);
    else
        pinsight_json_null(sources->json, "text");
    if (is_library)
        pinsight_json_bool(sources->json, "library", true);
    pinsight_json_close(sources->json, '}');
}

static void write_users(struct sources *sources, const char *file, bool with_text) {
    size_t size = 0;
    const char *text = with_text ? text_of(sources, file, &size) : NULL;

    if (text && sources->bytes + size > MOST_SOURCE)
        text = NULL;
    sources->bytes += text ? size : 0;
    write_source(sources, file, text, false);
}

/* Writes a library's file if its text is there. */
static void write_library(struct sources *sources, const char *file) {
    size_t size = 0;
    const char *text = text_of(sources, file, &size);

    if (text && sources->bytes + size > MOST_SOURCE) {
        sources->left_out++;
    } else if (text) {
        sources->bytes += size;
        write_source(sources, file, text, true);
    }
}

static void write_libraries(struct sources *sources, const struct pinsight_report *report) {
    sources->bytes = 0;
    for (size_t i = 0; i < report->function_count; i++) { /* by self time */
        const struct pinsight_function_row *function = &report->functions[i];

        if (function->file && function->file[0] && function->times.self_ns &&
            is_new(sources, function->file))
            write_library(sources, function->file);
    }
}

void page_sources_write(struct page *page, struct pinsight_json *json) {
    const struct pinsight_report *report = page->report;
    const struct pinsight_attribution_view *view = report->attribution;
    const int wanted = page->export->options->sources;
    struct sources sources = {.json = json, .texts = {.before_ns = report->model->first_ns}};

    pinsight_json_open(json, "sources", '[');
    for (size_t i = 0; i < view->function_count; i++) {
        const struct pinsight_attribution_function *function = &view->functions[i];

        if (function->users && function->file && function->file[0] &&
            is_new(&sources, function->file))
            write_users(&sources, function->file, wanted != PINSIGHT_SOURCES_NONE);
    }
    if (wanted == PINSIGHT_SOURCES_ALL)
        write_libraries(&sources, report);
    pinsight_json_close(json, ']');
    if (sources.left_out && !page->export->note)
        page->export->note =
            pinsight_format("files of libraries that are not in the page: %zu; it has at most "
                            "4 MiB of them, those with the most time first",
                            sources.left_out);
    pinsight_strings_clear(&sources.written);
    pinsight_source_text_clear(&sources.texts);
}

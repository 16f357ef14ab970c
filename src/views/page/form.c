/*
 * The form `html` of `pinsight export`: a page; see page.h.
 *
 * The page is a frame, which is equal for every trace, with data in base64. The file has no text of
 * a trace in plain form. Therefore such a text cannot become a part of the page.
 */
#include "base/memory.h"
#include "base/safe_files.h"
#include "views/export/formats.h"
#include "views/page/page.h"

#include "pinsight_version.h"

#include <stdlib.h>
#include <string.h>

int page_begin(struct pinsight_export *export) {
    struct page *page = export->own;

    page->export = export;
    page_timeline_make(page, &export->timeline);
    return 0;
}

static struct pinsight_report *read_report(struct page *page) {
    const struct pinsight_export_options *options = page->export->options;
    struct pinsight_report_options of_report = {PINSIGHT_REPORT_WHOLE, .trace = options->trace,
                                                .width = 80, .stop = options->stop,
                                                .progress = options->progress};

    of_report.thread = options->thread;
    of_report.process = options->process;
    of_report.region = options->region;
    if (pinsight_run_info_read(options->trace, &page->run))
        of_report.run = &page->run;
    return pinsight_report_read(&of_report, &page->export->error);
}

void page_part_write(FILE *out, const char *name, const char *suffix, const void *bytes,
                     size_t size) {
    size_t deflated;
    uint8_t *packed = page_deflate(bytes, size, &deflated);

    fprintf(out, "<script type=\"application/octet-stream\" id=\"pinsight-%s%s\">", name, suffix);
    page_base64(out, packed, deflated);
    fputs("</script>\n", out);
    free(packed);
}

/* Writes the offsets of the other parts, and the sources. */
static void write_index(struct page *page, FILE *out, struct page_bytes *bytes) {
    struct pinsight_json json = {.out = out, .compact = true};

    pinsight_json_open(&json, NULL, '{');
    pinsight_json_unsigned(&json, "page_version", PAGE_FORMAT_VERSION);
    pinsight_json_string(&json, "pinsight_version", PINSIGHT_VERSION);
    pinsight_json_string(&json, "command", page->run.command);
    if (page->export->options->region)
        pinsight_json_text(&json, "region", page->export->options->region);
    if (page->run.ended && (page->run.exit_status || page->run.signal)) {
        pinsight_json_signed(&json, "exit_status", page->run.exit_status);
        pinsight_json_signed(&json, "signal", page->run.signal);
    }
    page_contexts_write(page, &json, bytes);
    page_timeline_write(page, &json, bytes);
    page_sources_write(page, &json);
    pinsight_json_close(&json, '}');
}

int page_run_write(struct page *page, FILE *out, const char *suffix) {
    struct page_bytes bytes = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *memory;

    page->report = read_report(page);
    if (!page->report)
        return -1;
    memory = open_memstream(&text, &size);
    page_report_write(page->report, memory);
    fclose(memory);
    page_part_write(out, "report", suffix, text, size);
    free(text);
    text = NULL;
    memory = open_memstream(&text, &size);
    write_index(page, memory, &bytes);
    fclose(memory);
    if (!page->export->slices) /* the run has no slices, or calls were only counted */
        page->export->slices = page->contexts.slices;
    page_part_write(out, "index", suffix, text, size);
    free(text);
    page_part_write(out, "numbers", suffix, bytes.bytes, bytes.count);
    page_bytes_clear(&bytes);
    return 0;
}

static int finish(struct pinsight_export *export) {
    fwrite(page_head, 1, page_head_size, export->out);
    if (page_run_write(export->own, export->out, "") != 0)
        return -1;
    fwrite(page_tail, 1, page_tail_size, export->out);
    return 0;
}

void page_clear(struct pinsight_export *export) {
    struct page *page = export->own;

    pinsight_report_free(page->report);
    page_timeline_clear(page);
}

/* Every page has this text in its first bytes. */
#define GENERATOR "<meta name=\"generator\" content=\"PInsight\">"

bool page_is_one(const char *path) {
    char first[512] = "";
    FILE *file = pinsight_open_to_read(path); /* waits for no pipe that another user put there */

    if (!file)
        return false;
    first[fread(first, 1, sizeof(first) - 1, file)] = '\0';
    fclose(file);
    return strstr(first, GENERATOR);
}

const struct pinsight_export_format pinsight_export_html = {
    .name = "html",
    .suffix = ".html",
    .about = "a page in one file, for any browser",
    .sources = true,
    .own_size = sizeof(struct page),
    .begin = page_begin,
    .finish = finish,
    .clear = page_clear,
};

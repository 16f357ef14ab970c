/* A page: the whole run in one HTML file that needs nothing else (docs/page.md). Here its data is
 * made: the run along its time, in levels of detail; the calling contexts, whole and by bins of
 * time; the tables of the report; and the text of the user's sources. A browser shows them (web),
 * and computes nothing but sums of what it selects. Not thread-safe. */
#ifndef PINSIGHT_VIEWS_PAGE_H
#define PINSIGHT_VIEWS_PAGE_H

#include "base/json.h"
#include "base/run_info.h"
#include "views/contexts.h"
#include "views/export/export.h"
#include "views/page/arrows.h"
#include "views/page/bins.h"
#include "views/page/levels.h"
#include "views/page/pack.h"
#include "views/report/report.h"

/* Raised when something is taken out of the page's data or gets another meaning. */
#define PAGE_FORMAT_VERSION 1

/* Slices that are so deep in a stack, or deeper, have no boxes. */
#define PAGE_DEEPEST 256
/* Past so many boxes the finest level becomes coarser. */
#define PAGE_BOXES_MOST (2u << 20)
/* And the coarsest it is then, at first. */
#define PAGE_RESOLUTION_NS 1024

struct page_track {
    const struct pinsight_track *track; /* NULL once it is gone */
    uint32_t root;                      /* of the contexts; or PINSIGHT_NONE */
    struct page_row *rows;              /* by depth */
    size_t row_count, row_capacity;
    uint64_t last_ns; /* until when its time is in the bins */
    uint64_t deeper;  /* slices that are too deep */
    uint64_t slices;
};

struct page {
    struct pinsight_export *export;
    struct pinsight_contexts contexts;
    struct pinsight_timeline told; /* the contexts' functions */
    struct page_track *tracks;     /* by the number of the track, less one */
    size_t track_count;
    struct page_bins bins;
    struct page_arrows arrows;
    size_t boxes;           /* of all rows */
    size_t boxes_most;      /* PAGE_BOXES_MOST; a test has less */
    uint64_t resolution_ns; /* of the finest level; 0: nothing is merged */
    struct pinsight_run_info run;
    struct pinsight_report *report;
};

/* timeline.c: what a page is told while the trace is read. */
void page_timeline_make(struct page *page, struct pinsight_timeline *timeline);
void page_timeline_clear(struct page *page);

/* Writes the rows of all tracks in all levels, the bins, and the contexts; and says in the object
 * what stands where. */
void page_timeline_write(struct page *page, struct pinsight_json *json, struct page_bytes *bytes);
void page_contexts_write(struct page *page, struct pinsight_json *json, struct page_bytes *bytes);

/* Writes what the report has: all of `pinsight report --format json`, and its sections. */
void page_report_write(const struct pinsight_report *report, FILE *out);

/* Writes the text of files in which the user's functions are. */
void page_sources_write(const struct pinsight_report *report, struct pinsight_json *json);

/* What a form of `pinsight export` has whose `own` is a struct page. */
int page_begin(struct pinsight_export *export);
void page_clear(struct pinsight_export *export);

/* Writes the data of a run that was read, in parts whose ids end with a suffix; reads the trace
 * again, for its report. Returns 0, or -1 with the export's error set. */
int page_run_write(struct page *page, FILE *out, const char *suffix);

/* Writes a part of the data, which the browser finds by its name and suffix. */
void page_part_write(FILE *out, const char *name, const char *suffix, const void *bytes,
                     size_t size);

/* Whether a file is a page, and so may be replaced by one. */
bool page_is_one(const char *path);

/* The parts of the page around the data, made when PInsight is built: see web/join.py. */
extern const unsigned char page_head[], page_tail[];
extern const size_t page_head_size, page_tail_size;

#endif

/* A page: the whole run in one HTML file without other files (docs/page.md). The files here make
 * the page's data. The data is the run along its time in levels of detail, and the calling
 * contexts, whole and by bins of time. The report's tables and the text of the user's sources
 * belong to the data, too. The browser's modules (web) show the data, and compute only sums of the
 * selection. Not thread-safe. */
#ifndef PINSIGHT_VIEWS_PAGE_H
#define PINSIGHT_VIEWS_PAGE_H

#include "base/json.h"
#include "base/run_info.h"
#include "views/contexts.h"
#include "views/export/export.h"
#include "views/lanes.h"
#include "views/page/arrows.h"
#include "views/page/bins.h"
#include "views/page/counters.h"
#include "views/page/levels.h"
#include "views/page/pack.h"
#include "views/page/starts.h"
#include "views/report/report.h"

/* Rises when a part of the page's data is removed or changes its meaning. */
#define PAGE_FORMAT_VERSION 1

/* From so many calling contexts on, marked regions share the contexts of their callees. */
#define PAGE_CONTEXTS_OF_MARKED (1u << 17)
/* Deeper slices of a stack have no boxes. */
#define PAGE_DEEPEST 256
/* With more boxes, the finest level becomes coarser. */
#define PAGE_BOXES_MOST (2u << 20)

struct page_track {
    const struct pinsight_track *track; /* NULL once it is gone */
    uint32_t root;                      /* of the contexts, or PINSIGHT_NONE */
    struct page_row *rows;              /* by depth */
    size_t row_count, row_capacity;
    bool begun;       /* a slice began */
    uint64_t last_ns; /* end of the time that is in the bins */
    uint64_t deeper;  /* number of slices that are too deep */
    uint64_t slices;
};

/* The last load of a GIL that is in its counter. */
struct page_gil {
    uint64_t seen_ns, held_ns;
};

struct page {
    struct pinsight_export *export;
    struct pinsight_contexts contexts;
    struct pinsight_timeline told; /* the contexts' functions */
    struct page_track *tracks;     /* by the number of the track, minus one */
    size_t track_count;
    struct page_bins bins;
    struct page_arrows arrows;
    struct page_starts starts;
    struct page_counters counters;
    struct pinsight_lanes lanes; /* count the running threads of processes */
    uint64_t messages;           /* in flight at the last event */
    size_t gil_loads;            /* number of the records of GILs' loads that are in the counters */
    struct page_gil *gils;       /* by index of the GIL */
    size_t gil_count;
    bool *begun; /* by index of a process: a slice began in it */
    size_t begun_count;
    size_t boxes;           /* in all rows */
    size_t boxes_most;      /* PAGE_BOXES_MOST, or less in a test */
    uint64_t resolution_ns; /* of the finest level, in ns; 0: nothing is merged */
    struct pinsight_run_info run;
    struct pinsight_report *report;
};

/* timeline.c: collects data for the page while the trace is read. */
void page_timeline_make(struct page *page, struct pinsight_timeline *timeline);
void page_timeline_clear(struct page *page);

/* Adds the loads of GILs that were recorded since the last call to their counters. */
void page_timeline_gils(struct page *page);

/* Write the rows of all tracks in all levels, with the bins; and the contexts. The JSON object has
 * the offsets. */
void page_timeline_write(struct page *page, struct pinsight_json *json, struct page_bytes *bytes);
void page_contexts_write(struct page *page, struct pinsight_json *json, struct page_bytes *bytes);

/* Writes the report: all of `pinsight report --format json`, and its sections. */
void page_report_write(const struct pinsight_report *report, FILE *out);

/* Writes the text of the files that the export's options select. If files of libraries are left out
 * because of their size, export->note says so. */
void page_sources_write(struct page *page, struct pinsight_json *json);

/* The functions of an export form whose `own` is a struct page. */
int page_begin(struct pinsight_export *export);
void page_clear(struct pinsight_export *export);

/* Writes the data of a run after it was read, in parts whose ids end with a suffix. The trace is
 * read again for the report. Returns 0, or -1 with the export's error set. */
int page_run_write(struct page *page, FILE *out, const char *suffix);

/* Writes a part of the data, which the browser finds by its name and suffix. */
void page_part_write(FILE *out, const char *name, const char *suffix, const void *bytes,
                     size_t size);

/* Returns whether a file is a page, which another page may replace. */
bool page_is_one(const char *path);

/* The page before and after the data. The build makes them: see join.py. */
extern const unsigned char page_head[], page_tail[];
extern const size_t page_head_size, page_tail_size;

#endif

/* The summary at the end of a run. */
#include "views/summary.h"

#include "reader/mem.h"
#include "session/run_info.h"
#include "views/control.h"
#include "views/cuda.h"
#include "views/head.h"
#include "views/imports.h"
#include "views/links.h"
#include "views/mpi.h"
#include "views/not_recorded.h"
#include "views/openmp.h"
#include "views/report.h"
#include "views/screen.h"
#include "views/sections.h"
#include "views/table.h"
#include "views/text.h"
#include "views/units.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define TOP_WAITS 4
#define TOP_WINDOWS 4
#define TOP_CHANGES 6
/* Of the table: an empty line, the title and the heads of the columns; and rows. */
#define TITLE_LINES 3
#define LEAST_ROWS 3
#define MOST_ROWS 12
/* The screen that the summary is for: 80 columns and so many lines, where nothing unusual happened.
 */
#define LEAST_HEIGHT 24
/* From this share of the recorded time on, the user's functions tell of the program. */
#define USERS_SHARE 0.5

static void say_quietly(void *data, int level, const char *sentence) {
    if (level > 0)
        fprintf(data, "pinsight: %s\n", sentence);
}

/* What to type next. */
struct next {
    const char *verb, *options, *about;
};

/* The most useful first; returns how many. */
static size_t choose_next(const struct pinsight_report *report, struct next *next) {
    bool openmp = pinsight_omp_seen(report), mpi = pinsight_mpi_seen(report);
    size_t count = 0;

    next[count++] = (struct next){"report", "", "all of it"};
    if (openmp || mpi || pinsight_cuda_seen(report))
        next[count++] = (struct next){"report", " --links", "native work by your lines"};
    else
        next[count++] = (struct next){"report", " --tree", "who called what"};
    if (openmp)
        next[count++] = (struct next){"report", " --openmp", "regions, threads, imbalance"};
    if (mpi)
        next[count++] = (struct next){"report", " --mpi", "who waited for whom"};
    if (!openmp && !mpi && !pinsight_cuda_seen(report))
        next[count++] = (struct next){"report", " --by module", "packages against your code"};
    if (report->model->import_count)
        next[count++] = (struct next){"report", " --imports", "what start-up waits for"};
    next[count++] = (struct next){"export", "", "a timeline for ui.perfetto.dev"};
    return count;
}

/* Lines that can be typed, or copied, as they are. What they are for stands beside them where there
 * is room. */
static void print_next(const struct pinsight_report *report, FILE *out, const char *pinsight) {
    struct next next[8];
    char *texts[8] = {NULL};
    size_t count = choose_next(report, next), column = 0;

    pinsight_head_section(report, out, "Next", NULL);
    for (size_t i = 0; i < count; i++) {
        char *words[] = {(char *)(pinsight ? pinsight : "pinsight"), (char *)next[i].verb,
                         (char *)report->options.trace, NULL};
        char quoted[2 * PATH_MAX];
        char *clean;

        pinsight_run_info_quote(words, quoted, sizeof(quoted));
        clean = pinsight_text_clean(quoted);
        texts[i] = pinsight_format("%s%s", clean, next[i].options);
        if (pinsight_text_width(texts[i]) > column)
            column = pinsight_text_width(texts[i]);
        free(clean);
    }
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "   %s", texts[i]);
        if (3 + column + 3 + pinsight_text_width(next[i].about) <= report->options.width) {
            fprintf(out, "%*s", (int)(column - pinsight_text_width(texts[i])), "");
            pinsight_styled(out, report->options.colour, PINSIGHT_DIM, "   %s", next[i].about);
        }
        putc('\n', out);
        free(texts[i]);
    }
}

/* "OpenMP 248 ms in 42 regions; all threads together 495 ms, of it 121 ms waiting (24.4 %)" */
static void print_openmp(const struct pinsight_report *report, FILE *out) {
    const struct pinsight_links_work *work = &report->links->all[PINSIGHT_LINKS_OPENMP];
    const struct pinsight_counted *counted = &report->links->counted[PINSIGHT_LINKS_OPENMP];
    char wall[PINSIGHT_UNITS_SIZE], calls[PINSIGHT_UNITS_SIZE], all[PINSIGHT_UNITS_SIZE];
    char waiting[PINSIGHT_UNITS_SIZE], share[PINSIGHT_UNITS_SIZE];

    if (!work->calls && counted->calls)
        fprintf(out, "OpenMP %s in %s region%s that were counted (MONITORING)\n",
                pinsight_units_time(wall, counted->total_ns),
                pinsight_units_count(calls, counted->calls), counted->calls == 1 ? "" : "s");
    if (!work->calls)
        return;
    fprintf(out, "OpenMP %s in %s region%s; all threads %s, of it %s waiting (%s %%)\n",
            pinsight_units_time(wall, work->wall_ns), pinsight_units_count(calls, work->calls),
            work->calls == 1 ? "" : "s", pinsight_units_time(all, work->thread_ns),
            pinsight_units_time(waiting, work->waiting_ns),
            pinsight_units_percent(share, work->waiting_ns, work->thread_ns));
}

/* What stands above the table, and below it. */
static void print_above(const struct pinsight_report *report, FILE *out,
                        const struct pinsight_summary_options *options) {
    putc('\n', out);
    pinsight_head_brief(report, out, options->command, options->wall_ns, options->status);
    print_openmp(report, out);
    pinsight_mpi_lines(report, out, TOP_WAITS);
    pinsight_cuda_lines(report, out);
}

static void print_below(const struct pinsight_report *report, FILE *out,
                        const struct pinsight_summary_options *options) {
    pinsight_section_imports_brief(report, out);
    pinsight_section_windows(report, out, TOP_WINDOWS);
    pinsight_section_changes(report, out, TOP_CHANGES);
    pinsight_foot_print(report, out, true);
    print_next(report, out, options->pinsight);
}

/* The one table of so many lines: functions of the user's with all that they caused. A program that
 * has few of its own, as `python -m` of a package, has the functions that are there instead; one
 * without Python its regions, or calls of MPI. */
static void print_table(const struct pinsight_report *report, FILE *out, size_t lines) {
    size_t rows = lines > TITLE_LINES + LEAST_ROWS ? lines - TITLE_LINES : LEAST_ROWS;

    if (rows > MOST_ROWS)
        rows = MOST_ROWS;
    if (!report->mixed && pinsight_links_users_share(report->links) >= USERS_SHARE) {
        pinsight_section_links_brief(report, out, rows);
    } else if (report->function_count || report->c_call_count) {
        /* Two tables in the room of one, where there is room. */
        size_t c = rows > 2 * TITLE_LINES + LEAST_ROWS ? (rows - TITLE_LINES) / 2 : 0;

        if (!report->function_count || !report->c_call_count)
            c = report->function_count ? 0 : rows;
        if (report->function_count)
            pinsight_section_functions(report, out, c ? rows - TITLE_LINES - c : rows);
        if (c)
            pinsight_section_callees(report, out, c);
    } else if (pinsight_omp_seen(report)) {
        pinsight_section_openmp_brief(report, out, rows);
    } else if (pinsight_mpi_seen(report)) {
        pinsight_section_mpi_brief(report, out, rows);
    } else if (pinsight_cuda_seen(report)) {
        pinsight_section_cuda_brief(report, out, rows);
    } else {
        pinsight_section_functions(report, out, rows);
    }
}

/* A part as text, to be freed, and how many lines it has. */
static char *part_of(const struct pinsight_report *report,
                     const struct pinsight_summary_options *options,
                     void (*print)(const struct pinsight_report *report, FILE *out,
                                   const struct pinsight_summary_options *options),
                     size_t *lines) {
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);

    if (!memory)
        return NULL;
    print(report, memory, options);
    fclose(memory);
    for (const char *at = text; at && (at = strchr(at, '\n')); at++)
        (*lines)++;
    return text;
}

/* One screen: the table has the lines that the rest leaves. */
static void print_all(const struct pinsight_report *report, FILE *out,
                      const struct pinsight_summary_options *options) {
    unsigned height = pinsight_screen_height(out);
    size_t lines = 1; /* where the next command is typed */
    char *above, *below;

    if (height < LEAST_HEIGHT)
        height = LEAST_HEIGHT;
    above = part_of(report, options, print_above, &lines);
    below = part_of(report, options, print_below, &lines);
    if (above)
        fputs(above, out);
    print_table(report, out, height > lines ? height - lines : 0);
    if (below)
        fputs(below, out);
    free(above);
    free(below);
}

int pinsight_summary_print(const char *trace_dir, FILE *out,
                           const struct pinsight_summary_options *options) {
    struct pinsight_report_options report_options = {
        .trace = trace_dir,
        .limit = -1,
        .thread = -1,
        .process = -1,
        .depth = -1,
        .threshold = -1,
        .colour = options->colour,
        .width = options->width ? options->width : pinsight_screen_width(out),
        .stop = options->stop,
        .progress = options->progress,
        .run = options->run,
    };
    char *error = NULL;
    struct pinsight_report *report = pinsight_report_read(&report_options, &error);

    if (!report) {
        fprintf(out, "pinsight: %s\n", error);
        free(error);
        return -1;
    }
    for (size_t i = 0; i < report->source.warning_count; i++)
        fprintf(out, "pinsight: %s\n", report->source.warnings[i]);
    if (options->quiet)
        pinsight_not_recorded_say(report, say_quietly, out);
    else
        print_all(report, out, options);
    pinsight_report_free(report);
    return ferror(out) ? -1 : 0;
}

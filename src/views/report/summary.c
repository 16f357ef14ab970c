/* The summary at the end of a run. */
#include "views/report/summary.h"

#include "base/grid.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/run_info.h"
#include "base/text.h"
#include "base/units.h"
#include "views/domain.h"
#include "views/kit/screen.h"
#include "views/mpi/mpi.h"
#include "views/openmp/openmp.h"
#include "views/report/attribution.h"
#include "views/report/control.h"
#include "views/report/head.h"
#include "views/report/imports.h"
#include "views/report/not_recorded.h"
#include "views/report/report.h"
#include "views/report/section.h"
#include "views/report/sections.h"
#include "views/report/tables.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define TOP_WINDOWS 4
#define TOP_CHANGES 6
/* Of the table: an empty line, the title and the heads of the columns; and rows. */
#define TITLE_LINES 3
#define LEAST_ROWS 2
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
    const char *verb, *dashes, *option, *about;
};

#define MOST_NEXT 8
#define NEXT_AFTER_SECTIONS 3 /* what may follow the sections of domains */

/* The most useful first; returns how many, at most MOST_NEXT. */
static size_t choose_next(const struct pinsight_report *report, struct next next[MOST_NEXT]) {
    bool native = view_domains_seen(report);
    size_t count = 0;

    next[count++] = (struct next){"report", "", "", "all of it"};
    next[count++] = native ? (struct next){"report", " --", "links", "native work by your lines"}
                           : (struct next){"report", " --", "tree", "who called what"};
    for (size_t d = 0; d < READER_DOMAINS; d++)
        for (const struct pinsight_section *const *of = view_domains[d]->sections; of && *of; of++)
            if (count < MOST_NEXT - NEXT_AFTER_SECTIONS && (*of)->next && (*of)->seen(report))
                next[count++] = (struct next){"report", " --", (*of)->option, (*of)->next};
    if (!native)
        next[count++] = (struct next){"report", " --", "by module", "packages against your code"};
    if (report->model->import_count)
        next[count++] = (struct next){"report", " --", pinsight_section_of_imports.option,
                                      pinsight_section_of_imports.next};
    next[count++] = (struct next){"export", "", "", "a timeline for ui.perfetto.dev"};
    return count;
}

/* Lines that can be typed, or copied, as they are. What they are for stands beside them where there
 * is room. */
static void print_next(const struct pinsight_report *report, FILE *out, const char *pinsight) {
    struct next next[MOST_NEXT];
    char *texts[MOST_NEXT] = {NULL};
    size_t count = choose_next(report, next), column = 0;

    pinsight_head_section(report, out, "Next", NULL);
    for (size_t i = 0; i < count; i++) {
        char *words[] = {(char *)(pinsight ? pinsight : "pinsight"), (char *)next[i].verb,
                         (char *)report->options.trace, NULL};
        char quoted[2 * PATH_MAX];
        char *clean;

        pinsight_run_info_quote(words, quoted, sizeof(quoted));
        clean = pinsight_text_clean(quoted);
        texts[i] = pinsight_format("%s%s%s", clean, next[i].dashes, next[i].option);
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

/* What stands above the table, and below it. */
static void print_above(const struct pinsight_report *report, FILE *out,
                        const struct pinsight_summary_options *options) {
    putc('\n', out);
    pinsight_head_brief(report, out, options->command, options->wall_ns);
    for (size_t i = 0; i < READER_DOMAINS; i++)
        if (view_domains[i]->lines)
            view_domains[i]->lines(report, out);
}

static void print_below(const struct pinsight_report *report, FILE *out,
                        const struct pinsight_summary_options *options) {
    pinsight_section_imports_brief(report, out);
    pinsight_section_windows(report, out, TOP_WINDOWS);
    pinsight_section_changes(report, out, TOP_CHANGES);
    pinsight_foot_print(report, out, true);
    print_next(report, out, options->pinsight);
}

/* The section of the first domain of native code that is there; false without. */
static bool print_domain(const struct pinsight_report *report, FILE *out, size_t rows) {
    for (size_t i = 0; i < READER_DOMAINS; i++)
        if (view_domains[i]->seen && view_domains[i]->seen(report)) {
            view_domains[i]->brief(report, out, rows);
            return true;
        }
    return false;
}

/* The one table of so many lines: functions of the user's with all that they caused. A program that
 * has few of its own, as `python -m` of a package, has the functions that are there instead; one
 * without Python its regions, or calls of MPI. */
static void print_table(const struct pinsight_report *report, FILE *out, size_t lines) {
    size_t rows = lines > TITLE_LINES + LEAST_ROWS ? lines - TITLE_LINES : LEAST_ROWS;

    if (rows > MOST_ROWS)
        rows = MOST_ROWS;
    if (!report->mixed && pinsight_attribution_users_share(report->attribution) >= USERS_SHARE) {
        pinsight_section_attribution_brief(report, out, rows);
    } else if (report->function_count || report->c_call_count) {
        /* Two tables in the room of one, where there is room. */
        size_t c = rows > 2 * TITLE_LINES + LEAST_ROWS ? (rows - TITLE_LINES) / 2 : 0;

        if (!report->function_count || !report->c_call_count)
            c = report->function_count ? 0 : rows;
        if (report->function_count)
            pinsight_section_functions(report, out, c ? rows - TITLE_LINES - c : rows);
        if (c)
            pinsight_section_print(report, out, &pinsight_callee_table, c);
    } else if (!print_domain(report, out, rows)) {
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
        pinsight_error("%s", error);
        free(error);
        return -1;
    }
    for (size_t i = 0; i < report->source.warning_count; i++)
        pinsight_warning("%s", report->source.warnings[i]);
    if (options->quiet)
        pinsight_not_recorded_say(report, say_quietly, out);
    else
        print_all(report, out, options);
    pinsight_report_free(report);
    return ferror(out) ? -1 : 0;
}

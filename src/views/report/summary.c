/* Writes the summary at the end of a run. */
#include "views/report/summary.h"

#include "base/grid.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/run_info.h"
#include "base/text.h"
#include "base/units.h"
#include "views/domain.h"
#include "views/insights/insights.h"
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
#include "views/report/start_up.h"
#include "views/report/tables.h"
#include "views/report/waited.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define TOP_WINDOWS 4
#define TOP_CHANGES 6
/* The lines of the table: an empty line, the title and the heads of the columns; and numbers of
 * rows. */
#define TITLE_LINES 3
#define LEAST_ROWS 2
#define GOOD_ROWS 4
#define MOST_ROWS 12
/* The least lines of the screen for the summary, with 80 columns. The lines suffice unless
 * something unusual happened. */
#define LEAST_HEIGHT 24
/* The share of all time from which waiting is worth a line. */
#define WAITED_SHARE 0.05

static void keep_serious(void *data, int level, const char *sentence) {
    if (level == PINSIGHT_NOTICE_WRONG)
        fprintf(data, "pinsight: %s\n", sentence);
}

#define MOST_OPTIONS 8

/* Chooses options of `pinsight report` that show more of this run, the most useful first. Returns
 * their number, at most MOST_OPTIONS. */
static size_t choose_options(const struct pinsight_report *report,
                             const char *options[MOST_OPTIONS]) {
    bool native = view_domains_seen(report);
    size_t count = 0;

    options[count++] = native ? "links" : "tree";
    for (size_t d = 0; d < READER_DOMAINS; d++)
        for (const struct pinsight_section *const *of = view_domains[d]->sections; of && *of; of++)
            if (count < MOST_OPTIONS - 1 && (*of)->next && (*of)->seen(report) &&
                (!(*of)->suggested || (*of)->suggested(report)))
                options[count++] = (*of)->option;
    if (!native && count < MOST_OPTIONS)
        options[count++] = "by module";
    if (report->model->import_count && count < MOST_OPTIONS &&
        (pinsight_start_up_shows(report) || pinsight_start_up_own_ns(report)))
        options[count++] = pinsight_section_of_imports.option;
    return count;
}

/* Returns the command "pinsight report trace", to be typed or copied. The command has its path if
 * there is room. The caller frees it. */
static char *next_command(const struct pinsight_report *report, const char *pinsight,
                          size_t width) {
    char *words[] = {(char *)(pinsight ? pinsight : "pinsight"), "report",
                     (char *)report->options.trace, NULL};
    char quoted[2 * PATH_MAX];
    char *command;

    pinsight_run_info_quote(words, quoted, sizeof(quoted));
    command = pinsight_text_clean(quoted);
    if (pinsight_text_width(command) <= width || !pinsight || !strchr(pinsight, '/'))
        return command;
    free(command);
    return next_command(report, strrchr(pinsight, '/') + 1, width);
}

/* Writes the command that shows more, and its further options. */
static void print_next(const struct pinsight_report *report, FILE *out, const char *pinsight) {
    const char *options[MOST_OPTIONS];
    size_t count = choose_options(report, options);
    char *command = next_command(report, pinsight, report->options.width - sizeof("Next  "));
    char *more = pinsight_strdup("");

    for (size_t i = 0; i < count; i++) {
        char *longer = pinsight_format("%s --%s", more, options[i]);

        free(more);
        more = longer;
    }
    pinsight_styled(out, report->options.colour, PINSIGHT_BOLD, "Next");
    fprintf(out, "  %s\n", command);
    pinsight_paragraph(out, report->options.colour, PINSIGHT_DIM, report->options.width, "      ",
                       "with%s; or view, for the timeline in a browser", more);
    PINSIGHT_FREE(command, more);
}

/* The parts of a screen that may be left out to make room for the table. */
struct plan {
    bool waited, start_up; /* whether these lines are shown */
    bool domains;          /* whether domains show all their lines */
    size_t insights;       /* the most sentences */
};

/* In the order in which they are tried. */
static const struct plan plans[] = {
    {true, true, true, PINSIGHT_INSIGHTS_SHOWN},
    {false, true, true, PINSIGHT_INSIGHTS_SHOWN},
    {false, true, false, PINSIGHT_INSIGHTS_SHOWN},
    {false, false, false, PINSIGHT_INSIGHTS_SHOWN},
    {false, false, false, 3},
    {false, false, false, 2},
};

/* Returns whether waiting takes a good part of the program's time. */
static bool waits_much(const struct pinsight_report *report) {
    return (double)pinsight_waited_ns(report) >= WAITED_SHARE * (double)report->whole_ns;
}

/* Write the parts above and below the table. */
static void print_above(const struct pinsight_report *report, FILE *out,
                        const struct pinsight_summary_options *options, const struct plan *plan) {
    putc('\n', out);
    pinsight_head_brief(report, out, options->command);
    if (plan->waited && waits_much(report))
        pinsight_waited_print(report, out);
    if (plan->start_up)
        pinsight_start_up_print(report, out);
    for (size_t i = 0; i < READER_DOMAINS; i++)
        if (view_domains[i]->lines)
            view_domains[i]->lines(report, out, !plan->domains);
    pinsight_insights_print(report, out, plan->insights);
}

static void print_below(const struct pinsight_report *report, FILE *out,
                        const struct pinsight_summary_options *options, const struct plan *plan) {
    (void)plan;
    pinsight_section_windows(report, out, TOP_WINDOWS);
    pinsight_section_changes(report, out, TOP_CHANGES);
    pinsight_foot_brief(report, out);
    if (!options->next) {
        print_next(report, out, options->pinsight);
        return;
    }
    if (*options->next) {
        pinsight_styled(out, report->options.colour, PINSIGHT_BOLD, "Next");
        fprintf(out, "  %s\n", options->next);
    }
}

/* Writes the section of the first native domain with data. Returns false if there is none. */
static bool print_domain(const struct pinsight_report *report, FILE *out, size_t rows) {
    for (size_t i = 0; i < READER_DOMAINS; i++)
        if (view_domains[i]->seen && view_domains[i]->seen(report)) {
            view_domains[i]->brief(report, out, rows);
            return true;
        }
    return false;
}

/* Writes a table of `lines` lines: the user's functions with all work that they caused. A program
 * without own functions, such as `python -m` of a package, has the recorded functions instead. A
 * program without Python has its regions, or MPI calls, or else the regions and marks that it
 * names. */
static void print_table(const struct pinsight_report *report, FILE *out, size_t lines) {
    size_t rows = lines > TITLE_LINES + LEAST_ROWS ? lines - TITLE_LINES : LEAST_ROWS;

    if (rows > MOST_ROWS)
        rows = MOST_ROWS;
    if (!report->mixed && pinsight_attribution_has_users(report->attribution)) {
        pinsight_section_attribution_brief(report, out, rows);
    } else if (report->function_count || report->c_call_count) {
        /* Two tables share the room if there is enough. */
        size_t c = rows > 2 * TITLE_LINES + LEAST_ROWS ? (rows - TITLE_LINES) / 2 : 0;

        if (!report->function_count || !report->c_call_count)
            c = report->function_count ? 0 : rows;
        if (report->function_count)
            pinsight_section_functions(report, out, c ? rows - TITLE_LINES - c : rows);
        if (c)
            pinsight_section_print(report, out, &pinsight_callee_table, c);
    } else if (!print_domain(report, out, rows)) {
        if (report->model->marked.count)
            view_domains[READER_CORE]->brief(report, out, rows);
        else
            pinsight_section_functions(report, out, rows);
    }
}

/* Returns a part as text, and sets *lines to its number of lines. The caller frees it. */
static char *part_of(const struct pinsight_report *report,
                     const struct pinsight_summary_options *options, const struct plan *plan,
                     void (*print)(const struct pinsight_report *report, FILE *out,
                                   const struct pinsight_summary_options *options,
                                   const struct plan *plan),
                     size_t *lines) {
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);

    if (!memory)
        return NULL;
    print(report, memory, options, plan);
    fclose(memory);
    *lines = 0;
    for (const char *at = text; at && (at = strchr(at, '\n')); at++)
        (*lines)++;
    return text;
}

/* Writes one screen. The table gets the lines that the other parts leave, and they leave some. */
static void print_all(const struct pinsight_report *report, FILE *out,
                      const struct pinsight_summary_options *options) {
    const size_t plan_count = sizeof(plans) / sizeof(plans[0]);
    size_t height = options->height ? options->height : pinsight_screen_height(out);
    size_t above_lines = 0, below_lines = 0, lines;
    char *above = NULL, *below;

    if (height < LEAST_HEIGHT)
        height = LEAST_HEIGHT;
    below = part_of(report, options, NULL, print_below, &below_lines);
    for (size_t i = 0; i < plan_count; i++) {
        free(above);
        above = part_of(report, options, &plans[i], print_above, &above_lines);
        if (above_lines + below_lines + 1 + TITLE_LINES + GOOD_ROWS <= height)
            break;
    }
    lines = above_lines + below_lines + 1; /* and the line for the next command */
    if (above)
        fputs(above, out);
    print_table(report, out, height > lines ? height - lines : 0);
    if (below)
        fputs(below, out);
    PINSIGHT_FREE(above, below);
}

struct pinsight_report *pinsight_summary_read(const char *trace_dir, FILE *out,
                                              const struct pinsight_summary_options *options) {
    struct pinsight_report_options report_options = {
        .trace = trace_dir,
        PINSIGHT_REPORT_WHOLE,
        .sort = options->sort,
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
        return NULL;
    }
    for (size_t i = 0; i < report->source.warning_count; i++)
        pinsight_warning("%s", report->source.warnings[i]);
    return report;
}

int pinsight_summary_write(struct pinsight_report *report, FILE *out,
                           const struct pinsight_summary_options *options) {
    report->options.sort = options->sort;
    report->options.find = options->find;
    if (options->width)
        report->options.width = options->width;
    if (options->quiet)
        pinsight_not_recorded_report(report, keep_serious, out);
    else
        print_all(report, out, options);
    return ferror(out) ? -1 : 0;
}

int pinsight_summary_print(const char *trace_dir, FILE *out,
                           const struct pinsight_summary_options *options) {
    struct pinsight_report *report = pinsight_summary_read(trace_dir, out, options);
    int rc = report ? pinsight_summary_write(report, out, options) : -1;

    pinsight_report_free(report);
    return rc;
}

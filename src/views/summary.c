/* The summary at the end of a run. */
#include "views/summary.h"

#include "reader/mem.h"
#include "session/run_info.h"
#include "views/control.h"
#include "views/head.h"
#include "views/imports.h"
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

#define TOP_FUNCTIONS 8
#define TOP_C_CALLS 6
#define TOP_THREADS 5
#define TOP_REGIONS 4
#define TOP_WAITS 4
#define TOP_WINDOWS 4
#define TOP_CHANGES 6

static void say_quietly(void *data, int level, const char *sentence) {
    if (level > 0)
        fprintf(data, "pinsight: %s\n", sentence);
}

/* Lines that can be typed, or copied, as they are. */
static void print_next(const struct pinsight_report *report, FILE *out, const char *pinsight) {
    static const char *const lines[][3] = {
        {"report", "", "everything"},
        {"report", " --tree", "who called what"},
        {"report", " --openmp", "parallel regions, and the lines that started them"},
        {"report", " --mpi", "who waited for whom, and the lines at fault"},
        {"report", " --by module", "packages against your own code"},
        {"report", " --imports", "what start-up waits for"},
        {"dump", " | less", "every event"},
    };
    char *texts[sizeof(lines) / sizeof(lines[0])] = {NULL};
    size_t column = 0;

    pinsight_head_section(report, out, "Next", NULL);
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        char *words[] = {(char *)(pinsight ? pinsight : "pinsight"), (char *)lines[i][0],
                         (char *)report->options.trace, NULL};
        char quoted[2 * PATH_MAX];
        char *clean;

        if (strstr(lines[i][1], "--imports") && !report->model->import_count)
            continue;
        if (strstr(lines[i][1], "--openmp") && !pinsight_omp_seen(report))
            continue;
        if (strstr(lines[i][1], "--mpi") && !pinsight_mpi_seen(report))
            continue;
        pinsight_run_info_quote(words, quoted, sizeof(quoted));
        clean = pinsight_text_clean(quoted);
        texts[i] = pinsight_format("%s%s", clean, lines[i][1]);
        if (pinsight_text_width(texts[i]) + 3 > column)
            column = pinsight_text_width(texts[i]) + 3;
        free(clean);
    }
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        if (!texts[i])
            continue;
        fprintf(out, "   %s%*s", texts[i], (int)(column - pinsight_text_width(texts[i])), "");
        pinsight_styled(out, report->options.colour, PINSIGHT_DIM, "  %s\n", lines[i][2]);
        free(texts[i]);
    }
}

static void print_all(const struct pinsight_report *report, FILE *out,
                      const struct pinsight_summary_options *options) {
    char time[PINSIGHT_UNITS_SIZE];

    putc('\n', out);
    pinsight_head_print(report, out, options->command);
    if (options->wall_ns || options->status) {
        if (options->wall_ns)
            fprintf(out, "ran for %s", pinsight_units_time(time, options->wall_ns));
        if (options->status)
            pinsight_styled(out, report->options.colour, PINSIGHT_WARN, "%s%s",
                            options->wall_ns ? ", " : "", options->status);
        putc('\n', out);
    }
    if (report->function_count ||
        !(report->c_call_count || pinsight_omp_seen(report) || pinsight_mpi_seen(report)))
        pinsight_section_functions(report, out, TOP_FUNCTIONS);
    pinsight_section_callees(report, out, TOP_C_CALLS);
    pinsight_section_openmp_brief(report, out, TOP_REGIONS);
    pinsight_section_mpi_brief(report, out, TOP_WAITS);
    if (report->thread_count > 1)
        pinsight_section_threads(report, out, TOP_THREADS);
    pinsight_section_processes(report, out, TOP_THREADS);
    pinsight_section_imports_brief(report, out);
    pinsight_section_windows(report, out, TOP_WINDOWS);
    pinsight_section_changes(report, out, TOP_CHANGES);
    pinsight_foot_print(report, out, true);
    print_next(report, out, options->pinsight);
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

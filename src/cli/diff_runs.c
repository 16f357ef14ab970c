/* Functions that `pinsight diff` and `pinsight compare` share. */
#include "cli/diff_runs.h"

#include "base/ascii.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/run_info.h"
#include "base/text.h"
#include "cli/view_options.h"
#include "views/kit/screen.h"
#include "views/mpi/mpi.h"
#include "views/openmp/openmp.h"
#include "views/page/pair.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *const cli_diff_sort_words[] = {"self", "total", "calls", "name", NULL};
const char *const cli_diff_format_words[] = {"text", "json", "html", NULL};

struct pinsight_diff_options pinsight_diff_defaults(void) {
    return (struct pinsight_diff_options){.min_change = 5,
                                          .min_share = 0.5,
                                          .min_ns = 100000,
                                          .limit = -1,
                                          .colour = pinsight_screen_colour(stdout),
                                          .width = pinsight_screen_width(stdout)};
}

static void print_of(const char *trace, const char *warning) {
    char *text = pinsight_format("%s: %s", trace, warning);

    pinsight_warning("%s", text);
    free(text);
}

int pinsight_diff_read(struct pinsight_diff *diff, unsigned side, const char *typed, bool quiet,
                       const volatile sig_atomic_t *stop, int *worst) {
    const char *trace = pinsight_trace_chosen(typed);
    struct pinsight_run_info run;

    if (!trace)
        return -1;

    const struct pinsight_report_options options = {
        .trace = trace,
        PINSIGHT_REPORT_WHOLE,
        .histograms = true,
        .stop = stop,
        .run = pinsight_run_info_read(trace, &run) ? &run : NULL,
        .progress = !quiet && isatty(STDERR_FILENO)};
    struct pinsight_report *report;
    char *error = NULL;

    report = pinsight_report_read(&options, &error);
    if (!report) {
        pinsight_error("%s", error);
        free(error);
        return -1;
    }
    for (size_t i = 0; i < report->source.warning_count; i++)
        print_of(trace, report->source.warnings[i]);
    if (report->source.warning_count && !*worst)
        *worst = 1;
    if (report->source.stopped)
        *worst = 130;
    pinsight_diff_add(diff, side, report);
    if (!report->function_count && !report->c_call_count && !report->openmp->place_count &&
        !report->mpi->line_count && !report->model->marked.count && !report->source.stopped) {
        pinsight_error("%s: there is nothing in it to compare: no function, C call, region or "
                       "call of MPI was recorded",
                       trace);
        pinsight_report_free(report);
        return -1;
    }
    pinsight_report_free(report);
    return 0;
}

static int write_text(const struct pinsight_diff *diff) {
    FILE *screen = pinsight_ascii_open(stdout);

    pinsight_diff_text(diff, screen);
    return pinsight_ascii_close(screen, stdout);
}

/* Writes the comparison as a page, whose megabytes are not for a terminal. */
static int write_page(const struct pinsight_diff *diff, const char *const traces[2]) {
    const char *chosen[2] = {pinsight_trace_chosen(traces[0]), pinsight_trace_chosen(traces[1])};
    char *error = NULL;

    if (!chosen[0] || !chosen[1] ||
        page_pair_write(diff, chosen, false, NULL, stdout, &error) != 0) {
        if (error)
            pinsight_error("%s", error);
        free(error);
        return -1;
    }
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : -1;
}

int pinsight_diff_write(const struct pinsight_diff *diff,
                        const struct pinsight_diff_options *options, const char *const traces[2],
                        double fail_above, int worst) {
    int rc = options->format == PINSIGHT_FORMAT_JSON ? pinsight_diff_json(diff, stdout)
             : (int)options->format == CLI_DIFF_PAGE ? write_page(diff, traces)
                                                     : write_text(diff);

    if (rc != 0 && pinsight_option_write_error() != 0)
        return 1;
    if (!worst && fail_above >= 0 && pinsight_diff_outcome(diff).percent > fail_above)
        return CLI_DIFF_ABOVE;
    return worst;
}

/* The report's section on MPI. */
#include "views/mpi/mpi.h"

#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "views/report/head.h"
#include "views/report/tables.h"

#include <inttypes.h>
#include <stdlib.h>

/* Writes a line such as "4 ranks, Open MPI v4.1.4 · in MPI 253 ms of 553 ms (45.7 %), 247 ms of it
 * waiting …". */
static void print_ranks(const struct pinsight_report *report, FILE *out) {
    struct pinsight_mpi_times times = pinsight_mpi_times_of(report);
    char *clean = pinsight_text_clean(times.library);

    if (!times.wall_ns && pinsight_mpi_only_counted(report)) {
        pinsight_head_note(report, out,
                           "%zu rank%s%s%s · how long each waits, and for whom, needs TRACING",
                           times.ranks, times.ranks == 1 ? "" : "s", clean[0] ? ", " : "", clean);
        free(clean);
        return;
    }
    pinsight_head_note(
        report, out,
        "%zu rank%s%s%s · in MPI %s of %s (%s %%), %s%s%s of it waiting for other "
        "ranks",
        times.ranks, times.ranks == 1 ? "" : "s", clean[0] ? ", " : "", clean,
        pinsight_units_time(times.mpi_ns).text, pinsight_units_time(times.wall_ns).text,
        pinsight_units_percent(times.mpi_ns, times.wall_ns).text,
        times.open_ns ? pinsight_units_time(times.open_ns).text : "",
        times.open_ns ? " of it hanging, " : "", pinsight_units_time(times.wait_ns).text);
    free(clean);
}

/* Returns a text such as "2430 requests started, 2300 completed, 130 under way when the recording
 * ended". The caller frees it. */
static char *requests_text(const struct pinsight_mpi_view *view) {
    uint64_t over = view->requests_completed + view->requests_freed;

    return view->ended && view->requests_started > over
               ? pinsight_format("%" PRIu64 " requests started, %" PRIu64 " completed, %" PRIu64
                                 " under way when the recording ended",
                                 view->requests_started, view->requests_completed,
                                 view->requests_started - over)
               : pinsight_format("%" PRIu64 " request%s started, %" PRIu64 " completed",
                                 view->requests_started, view->requests_started == 1 ? "" : "s",
                                 view->requests_completed);
}

/* Writes how many messages and operations were matched. If some were not, the numbers above are
 * incomplete, too. */
static void print_matching(const struct pinsight_report *report, FILE *out) {
    const struct pinsight_mpi *mpi = pinsight_model_mpi(report->model);
    const struct pinsight_mpi_view *view = report->mpi;
    char *requests = requests_text(view), *because = pinsight_strdup("");

    pinsight_head_section(report, out, "Matched", NULL);
    pinsight_head_note(report, out,
                       "%" PRIu64 " message%s sent, %" PRIu64 " received, %" PRIu64
                       " matched · %" PRIu64 " collective operation%s · %s",
                       mpi->sends, mpi->sends == 1 ? "" : "s", mpi->receives, mpi->matched,
                       mpi->collectives, mpi->collectives == 1 ? "" : "s", requests);
    free(requests);
    if (view->ended)
        pinsight_append(&because,
                        "The recording of MPI ended in %zu process%s before the program did: ",
                        view->ended, view->ended == 1 ? "" : "es");
    if (mpi->late_ranks)
        pinsight_head_warn(report, out,
                           "The recording of %" PRIu64
                           " rank%s begins after the start: messages and "
                           "collective operations of such ranks are not matched, and their "
                           "waiting is not known.",
                           mpi->late_ranks, mpi->late_ranks == 1 ? "" : "s");
    else if (mpi->matched != mpi->sends || mpi->matched != mpi->receives)
        pinsight_head_warn(report, out,
                           "%s%" PRIu64 " message%s sent and not seen to be received, %" PRIu64
                           " received whose sending was not seen.",
                           because, mpi->sends - mpi->matched,
                           mpi->sends - mpi->matched == 1 ? " was" : "s were",
                           mpi->receives - mpi->matched);
    if (mpi->incomplete || mpi->misaligned)
        pinsight_head_warn(
            report, out,
            "%s%" PRIu64
            " collective operation%s not seen on all ranks: their waiting is not known.",
            because, mpi->incomplete + mpi->misaligned,
            mpi->incomplete + mpi->misaligned == 1 ? " was" : "s were");
    free(because);
}

static void print_head(const struct pinsight_report *report, FILE *out, size_t limit) {
    print_ranks(report, out);
    pinsight_mpi_print_alone(report, out);
    pinsight_mpi_print_clocks(report, out);
    pinsight_mpi_print_efficiency(report, out, true);
    pinsight_mpi_print_deaths(report, out);
    pinsight_mpi_print_open(report, out);
    pinsight_mpi_print_failed(report, out, limit);
}

static const struct pinsight_section all;

static void print_mpi(const struct pinsight_report *report, FILE *out, size_t limit) {
    if (!pinsight_mpi_seen(report)) {
        pinsight_section_nothing(&all, report, out);
        if (pinsight_model_mpi(report->model) && report->mpi) {
            pinsight_mpi_print_deaths(report, out);
            pinsight_mpi_print_open(report, out);
        }
        return;
    }
    pinsight_head_section(report, out, all.title, NULL);
    print_head(report, out, limit);
    if (pinsight_mpi_only_counted(report)) {
        pinsight_mpi_print_calls(report, out, limit);
        return;
    }
    pinsight_mpi_print_waits(report, out, limit);
    pinsight_mpi_print_calls(report, out, limit);
    pinsight_section_mpi_ranks(report, out);
    pinsight_section_mpi_matrix(report, out, limit);
    pinsight_section_mpi_sizes(report, out);
    print_matching(report, out);
}

void pinsight_section_mpi_brief(const struct pinsight_report *report, FILE *out, size_t limit) {
    if (!pinsight_mpi_seen(report))
        return;
    pinsight_head_section(report, out, "MPI", NULL);
    print_head(report, out, limit);
    if (report->mpi->wait_count)
        pinsight_mpi_print_waits(report, out, limit);
    else
        pinsight_section_print(report, out, &pinsight_mpi_line_table, limit);
}

/* Writes the matrix alone. Without MPI, it writes the text of the whole section. */
static void print_matrix(const struct pinsight_report *report, FILE *out, size_t limit) {
    if (pinsight_mpi_seen(report))
        pinsight_section_mpi_matrix(report, out, limit);
    else
        print_mpi(report, out, limit);
}

static const struct pinsight_section all = {
    PINSIGHT_SECTION("mpi", "MPI", 3, pinsight_mpi_seen, pinsight_mpi_none),
    .about = "MPI: wait states, time by function, line and rank, in place of the tables",
    .example = "who waited for whom",
    .next = "who waited for whom",
    .lines = &pinsight_mpi_site_table,
    .screen = print_mpi,
};

static const struct pinsight_section matrix = {
    .option = "matrix",
    .about = "the communication matrix of MPI alone",
    .share = 10,
    .seen = pinsight_mpi_seen,
    .none = pinsight_mpi_none,
    .lines = &pinsight_mpi_matrix_table,
    .screen = print_matrix,
    .svg = pinsight_mpi_matrix_svg,
};

const struct pinsight_section *const pinsight_mpi_sections[] = {&all, &matrix, NULL};

/* Writes problems with MPI: calls that did not return, calls with errors, and processes that are
 * alone. */
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "views/mpi/mpi.h"
#include "views/report/head.h"
#include "views/report/tables.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Writes a warning if a launcher of another MPI started the processes. Each process then is alone
 * in its MPI_COMM_WORLD. */
void pinsight_mpi_print_alone(const struct pinsight_report *report, FILE *out) {
    const struct pinsight_mpi *mpi = pinsight_model_mpi(report->model);
    size_t count = 0;

    for (size_t i = 0; i < mpi->rank_count; i++) {
        if (mpi->ranks[i]->world == PINSIGHT_NONE ||
            mpi->comms[mpi->ranks[i]->world].member_count != 1)
            return;
        count++;
    }
    if (count < 2)
        return;
    pinsight_head_warn(report, out,
                       "%zu processes are each alone in their MPI_COMM_WORLD. If they were to be "
                       "one job, they were started with the mpirun of another MPI than theirs.",
                       count);
}

/* Writes calls that had not returned, which show the state of a program that hangs or was
 * killed. */
void pinsight_mpi_print_open(const struct pinsight_report *report, FILE *out) {
    const struct pinsight_mpi *mpi = pinsight_model_mpi(report->model);
    const struct pinsight_mpi_view *view = report->mpi;

    for (size_t i = 0; i < mpi->site_count; i++) {
        const struct pinsight_mpi_site *site = &mpi->sites[i];
        char *call, *name;

        if (!site->open || !mpi->ranks[site->rank]->process->selected)
            continue;
        call = pinsight_mpi_call_text(view, view->site_lines[i], true);
        name = pinsight_mpi_rank_name(mpi->ranks[site->rank]);
        pinsight_head_warn(report, out, "%s had not returned after %s: %s", name,
                           pinsight_units_time(site->open_ns).text, call);
        PINSIGHT_FREE(call, name);
    }
}

/* Returns an error such as "MPI_ERR_RANK (6)". The numbers of errors depend on the library. MPICH
 * has the class in the lowest bits, and Open MPI returns the class. Common errors have names. The
 * caller frees the text. */
static char *error_text(const char *flavour, int32_t value) {
    static const char *const first[] = {"SUCCESS", "BUFFER", "COUNT", "TYPE",
                                        "TAG",     "COMM",   "RANK"};
    static const char *const mpich[] = {"ROOT",      "GROUP",   "OP",       "TOPOLOGY", "DIMS",
                                        "ARG",       "UNKNOWN", "TRUNCATE", "OTHER",    "INTERN",
                                        "IN_STATUS", "PENDING", "REQUEST"};
    static const char *const openmpi[] = {"REQUEST", "ROOT",      "GROUP",   "OP",       "TOPOLOGY",
                                          "DIMS",    "ARG",       "UNKNOWN", "TRUNCATE", "OTHER",
                                          "INTERN",  "IN_STATUS", "PENDING"};
    enum { FIRST = sizeof(first) / sizeof(first[0]), MORE = sizeof(mpich) / sizeof(mpich[0]) };
    bool is_mpich = strcmp(flavour, "mpich") == 0;
    int32_t class = is_mpich ? value & 0x7f : value;
    const char *name = NULL;

    _Static_assert(sizeof(mpich) == sizeof(openmpi), "both have the classes up to 19");
    if (class > 0 && class < FIRST)
        name = first[class];
    else if (class >= FIRST && class < FIRST + MORE && (is_mpich || !strcmp(flavour, "openmpi")))
        name = (is_mpich ? mpich : openmpi)[class - FIRST];
    return name ? pinsight_format("MPI_ERR_%s (%" PRId32 ")", name, value)
                : pinsight_format("%" PRId32, value);
}

/* Writes calls that returned an error to the program, with MPI_ERRORS_RETURN, which is the default
 * for files. */
void pinsight_mpi_print_failed(const struct pinsight_report *report, FILE *out, size_t limit) {
    const struct pinsight_mpi *mpi = pinsight_model_mpi(report->model);
    size_t shown = 0, more = 0;

    for (size_t i = 0; i < mpi->site_count; i++) {
        const struct pinsight_mpi_site *site = &mpi->sites[i];
        const struct pinsight_mpi_rank *rank = mpi->ranks[site->rank];
        char *call, *error, *name;

        if (!site->failed || !rank->process->selected)
            continue;
        if (limit && shown == limit) {
            more++;
            continue;
        }
        shown++;
        call = pinsight_mpi_call_text(report->mpi, report->mpi->site_lines[i], true);
        error = error_text(pinsight_report_string(report, rank->flavour), site->failure);
        name = pinsight_mpi_rank_name(rank);
        pinsight_head_warn(report, out,
                           "%s: %" PRIu64 " of %" PRIu64 " call%s returned an error%s %s: %s", name,
                           site->failed, site->calls, site->calls == 1 ? "" : "s",
                           site->failed == 1 ? "," : ", the last one", error, call);
        PINSIGHT_FREE(error, call, name);
    }
    if (more)
        pinsight_head_warn(report, out,
                           "errors were returned at %zu other places (--limit 0 shows all)", more);
}

/* Finds ranks that died. If the other ranks of a job hang, this rank is the cause. A dying rank
 * records nothing. The evidence is the trace, and the end of the command. */
#include "base/grid.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/run_info.h"
#include "base/text.h"
#include "base/units.h"
#include "pinsight/pinsight.h"
#include "views/mpi/mpi.h"
#include "views/process_name.h"
#include "views/report/head.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* A shell adds this to a signal's number in an exit status. */
#define BY_SIGNAL 128

bool pinsight_mpi_has_ended(const struct pinsight_process *process) {
    for (size_t d = 0; d < process->domain_count; d++) {
        const struct pinsight_process_domain *domain = &process->domains[d];

        if (!strcmp(pinsight_strings_text(&process->model->strings, domain->name), "MPI"))
            return domain->size_limit_reached ||
                   (domain->mode_changed && domain->mode != PINSIGHT_MODE_TRACING);
    }
    return false;
}

/* Returns whether the trace has all of the run. Ranks of a running program have not died. */
static bool is_whole(const struct pinsight_report *report) {
    const struct pinsight_run_info *run = report->options.run;

    return run && run->ended && !run->daemon_died && !run->consumer_died && !run->incomplete &&
           !report->options.chunk && !report->source.stopped && !report->source.discarded_events;
}

/* Returns whether somebody stopped the whole command, with Ctrl-C or kill. */
static bool was_stopped(const struct pinsight_run_info *run) {
    int signal = run->told_to_end               ? run->told_to_end
                 : run->signal                  ? run->signal
                 : run->exit_status > BY_SIGNAL ? run->exit_status - BY_SIGNAL
                                                : 0;

    return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

static bool is_of(const struct pinsight_mpi_rank *rank, enum pinsight_mpi_end how) {
    switch (how) {
    case PINSIGHT_MPI_ABORTED:
        return rank->abort_site != PINSIGHT_NONE;
    case PINSIGHT_MPI_SILENT:
        return rank->initialised && !rank->finalised && !rank->sessions && !rank->open &&
               !pinsight_mpi_has_ended(rank->process);
    default:
        return rank->finalised && rank->open;
    }
}

const char *pinsight_mpi_end_word(unsigned how) {
    static const char *const words[] = {"aborted", "silent", "left"};

    return words[how];
}

ORDER(by_time, struct pinsight_mpi_death, BY(a->ns, b->ns) ?: BY(a->rank->index, b->rank->index))

static void add(const struct pinsight_mpi *mpi, struct pinsight_mpi_view *view,
                enum pinsight_mpi_end how) {
    for (size_t i = 0; i < mpi->rank_count; i++) {
        const struct pinsight_mpi_rank *rank = mpi->ranks[i];

        if (is_of(rank, how))
            view->deaths[view->death_count++] = (struct pinsight_mpi_death){
                .rank = rank,
                .how = how,
                .site = how == PINSIGHT_MPI_ABORTED ? rank->abort_site : rank->last_site,
                .ns = how == PINSIGHT_MPI_ABORTED ? rank->aborted_ns
                      : how == PINSIGHT_MPI_LEFT  ? rank->finalised_ns
                                                  : rank->process->last_ns};
    }
}

/* Returns whether a rank hangs in another call than MPI_Finalize. */
static bool one_hangs(const struct pinsight_mpi *mpi) {
    for (size_t i = 0; i < mpi->rank_count; i++)
        if (mpi->ranks[i]->open && !mpi->ranks[i]->finalised)
            return true;
    return false;
}

void pinsight_mpi_deaths_make(const struct pinsight_report *report,
                              struct pinsight_mpi_view *view) {
    const struct pinsight_mpi *mpi = pinsight_model_mpi(report->model);
    const struct pinsight_run_info *run = report->options.run;

    if (!is_whole(report))
        return;
    view->deaths = pinsight_calloc(mpi->rank_count + 1, sizeof(*view->deaths));
    add(mpi, view, PINSIGHT_MPI_ABORTED);
    if (!view->death_count)
        add(mpi, view, PINSIGHT_MPI_SILENT);
    /* If all ranks are silent, the launcher ended the others while they computed. */
    if (view->death_count == mpi->rank_count && view->deaths[0].how != PINSIGHT_MPI_ABORTED &&
        (was_stopped(run) || !(run->exit_status || run->signal)))
        view->death_count = 0;
    if (!view->death_count && one_hangs(mpi))
        add(mpi, view, PINSIGHT_MPI_LEFT);
    PINSIGHT_SORT(view->deaths, view->death_count, by_time);
}

char *pinsight_mpi_rank_name(const struct pinsight_mpi_rank *rank) {
    return rank->rank == PINSIGHT_MPI_NO_RANK ? view_process_name(rank->process)
                                              : pinsight_format("rank %" PRIu32, rank->rank);
}

/* Returns a sentence such as "The command ended with exit status 137 (signal 9, Killed)." The
 * caller frees it. */
static char *status_text(const struct pinsight_run_info *run) {
    if (run->signal)
        return pinsight_format(" The command was ended by signal %d (%s).", run->signal,
                               strsignal(run->signal));
    if (run->exit_status > BY_SIGNAL && run->exit_status < BY_SIGNAL + 32)
        return pinsight_format(" The command ended with exit status %d (signal %d, %s).",
                               run->exit_status, run->exit_status - BY_SIGNAL,
                               strsignal(run->exit_status - BY_SIGNAL));
    return run->exit_status
               ? pinsight_format(" The command ended with exit status %d.", run->exit_status)
               : pinsight_strdup("");
}

/* Returns a sentence such as " It was in posix._exit, called by fail (die.py:6).", or "" without
 * Python. The caller frees it. */
static char *inside_text(const struct pinsight_report *report,
                         const struct pinsight_mpi_rank *rank) {
    const struct pinsight_model *model = report->model;
    const struct pinsight_function *function = NULL;
    const struct pinsight_callee *callee = NULL;
    char *where, *name, *text;
    int32_t line;

    if (rank->in == PINSIGHT_NONE)
        return pinsight_strdup("");
    if (rank->in_kind == PINSIGHT_FUNCTION) {
        function = &model->functions[rank->in];
        line = function->line;
    } else {
        callee = &model->callees[model->sites[rank->in].callee];
        line = model->sites[rank->in].line;
        if (model->sites[rank->in].caller != PINSIGHT_NONE)
            function = &model->functions[model->sites[rank->in].caller];
    }
    if (!function || !function->known || (callee && !callee->known))
        return pinsight_strdup("");
    where = pinsight_text_place(pinsight_report_string(report, function->file), line);
    name = pinsight_text_clean(pinsight_report_string(report, function->name));
    text = callee ? pinsight_format(" It was in %s, called by %s (%s).",
                                    pinsight_report_string(report, callee->name), name, where)
                  : pinsight_format(" It was in %s (%s).", name, where);
    free(where);
    free(name);
    name = pinsight_text_clean(text);
    free(text);
    return name;
}

void pinsight_mpi_print_deaths(const struct pinsight_report *report, FILE *out) {
    const struct pinsight_mpi_view *view = report->mpi;
    const struct pinsight_mpi_death *first = view->deaths;
    const char *what = view->death_count && was_stopped(report->options.run)
                           ? "computed, hung or died until the job was stopped"
                           : "died, or computed until the job was ended";
    struct pinsight_units time;
    char *rank, *call, *status, *inside;

    if (!view->death_count)
        return;
    rank = pinsight_mpi_rank_name(first->rank);
    call = pinsight_mpi_call_text(view, view->site_lines[first->site], true);
    status = status_text(report->options.run);
    inside = inside_text(report, first->rank);
    time = pinsight_units_time(first->ns - report->model->first_ns);
    if (first->how == PINSIGHT_MPI_ABORTED)
        pinsight_head_warn(report, out, "%s ended the job after %s: %s.%s", rank, time.text, call,
                           status);
    else if (first->how == PINSIGHT_MPI_LEFT)
        pinsight_head_warn(
            report, out,
            "%s%s called MPI_Finalize after %s, while others are in other calls for ever.%s", rank,
            view->death_count > 1 ? " and others" : "", time.text, status);
    else if (view->death_count == 1)
        pinsight_head_warn(report, out,
                           "%s %s: it is outside of MPI and has not called MPI_Finalize. Its last "
                           "event is %s after the start, its last call %s.%s%s",
                           rank, what, time.text, call, inside, status);
    else
        pinsight_head_warn(
            report, out,
            "%zu ranks %s: they are outside of MPI and have not called MPI_Finalize. The first to "
            "fall silent is %s, %s after the start; its last call is %s.%s%s",
            view->death_count, what, rank, time.text, call, inside, status);
    PINSIGHT_FREE(status, inside, call, rank);
}

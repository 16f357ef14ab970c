/* The table of threads. */
#include "base/memory.h"
#include "base/text.h"
#include "views/mpi/mpi.h"
#include "views/openmp/openmp.h"
#include "views/process_name.h"
#include "views/report/attribution.h"
#include "views/report/sections.h"
#include "views/report/tables.h"

#include <stdlib.h>

static const struct pinsight_thread_row *thread_row(const void *row) {
    return row;
}

SHOWN(has_processes, view_processes_are_named(report->model))

VALUE(process_name, struct pinsight_process, pinsight_value_owned(view_process_name(row)))

VALUE(os_threads, struct pinsight_thread,
      pinsight_value_number(row->os_threads ? row->os_threads : 1))

VALUE(thread_number, struct pinsight_thread,
      pinsight_value_owned(row->number < 0 ? pinsight_format("tid %u", row->tid)
                                           : pinsight_format("%lld", (long long)row->number)))

#define P(member) MEMBER(struct pinsight_process, member)
static const struct pinsight_column pid_columns[] = {
    COLUMN("pid", NULL, SIGNED, P(pid)),
    GETTER("process", "process", TEXT, process_name, .shown = has_processes, .align = PINSIGHT_LEFT,
           .only = PINSIGHT_FORM_SCREEN),
};
const struct pinsight_table pinsight_pid_table = {PINSIGHT_COLUMNS(pid_columns)};

#define T(member) MEMBER(struct pinsight_thread, member)
static const struct pinsight_column thread_columns[] = {
    INNER(NULL, &pinsight_pid_table, T(process), .pointer = true),
    COLUMN("python_thread_id", NULL, SIGNED, T(number)),
    GETTER("thread", "thread", TEXT, thread_number),
    COLUMN("tid", NULL, ID, T(tid), .needs = T(tid), .only = PINSIGHT_FORM_JSON),
    COLUMN("tid", NULL, ID, T(tid), .only = PINSIGHT_FORM_CSV),
    GETTER("os_threads", NULL, COUNT, os_threads),
    INNER("openmp", &pinsight_omp_thread_table, T(state[READER_OPENMP]), .pointer = true),
    FIELD(COUNT, T, max_depth),
    COLUMN("begin_ns", NULL, NS, T(first_ns)),
    COLUMN("end_ns", NULL, NS, T(last_ns)),
};
const struct pinsight_table pinsight_thread_table = {PINSIGHT_COLUMNS(thread_columns)};

static uint64_t self_ns(const struct pinsight_thread_row *row) {
    return row->self_ns + row->c_self_ns;
}

VALUE(thread_self, void, pinsight_value_number(self_ns(row)))

VALUE(thread_share, void,
      pinsight_value_share(self_ns(row), pinsight_attribution_whole_with_idle_ns(report)))

/* Returns the name, with the number of threads that used it one after another. */
static struct pinsight_value thread_name(const void *view, const void *row) {
    uint32_t count = thread_row(row)->thread->os_threads;
    char *name = pinsight_text_clean(thread_row(row)->name), *all;

    if (count < 2)
        return pinsight_value_owned(name);
    all = pinsight_format("%s (%u threads, one after another)", name, count);
    free(name);
    return pinsight_value_owned(all);
}

SHOWN(has_clocks, report->has_clocks)

/* The times of a thread's clock, for threads with one. */
static const struct pinsight_column clock_columns[] = {
    COLUMN("waited_ns", NULL, NS, T(clock.waiting_ns), .optional = T(clock.known_ns),
           .only = PINSIGHT_FORM_JSON),
    COLUMN("ready_ns", NULL, NS, T(clock.ready_ns), .optional = T(clock.known_ns),
           .only = PINSIGHT_FORM_JSON),
    COLUMN("waited_ns", "waiting", NS, T(clock.waiting_ns), .needs = T(clock.known_ns),
           .shown = has_clocks),
    COLUMN("ready_ns", "no CPU", NS, T(clock.ready_ns), .needs = T(clock.known_ns),
           .shown = has_clocks),
};
static const struct pinsight_table clock_table = {PINSIGHT_COLUMNS(clock_columns)};

#define R(member) MEMBER(struct pinsight_thread_row, member)
static const struct pinsight_column row_columns[] = {
    INNER(NULL, &pinsight_thread_table, R(thread), .pointer = true),
    COLUMN("name", NULL, TEXT, R(name), .only = PINSIGHT_FORM_JSON | PINSIGHT_FORM_CSV),
    GETTER("name", "name", TEXT, thread_name, .align = PINSIGHT_FLEXIBLE),
    COLUMN("calls", "calls", COUNT, R(calls)),
    COLUMN("c_calls", "C calls", COUNT, R(c_calls)),
    FIELD(NS, R, busy_ns),
    GETTER("all_ns", "self", NS, thread_self, .style = PINSIGHT_BOLD),
    GETTER("share", "%", SHARE, thread_share),
    COLUMN("self_ns", "Python", NS, R(self_ns), .style = PINSIGHT_PYTHON),
    COLUMN("c_self_ns", "C", NS, R(c_self_ns), .style = PINSIGHT_C),
    INNER(NULL, &clock_table, R(thread), .pointer = true),
    COLUMN("counted_calls", NULL, COUNT, R(counted[PINSIGHT_FUNCTION])),
    COLUMN("counted_c_calls", NULL, COUNT, R(counted[PINSIGHT_C_CALL])),
};

const struct pinsight_table pinsight_threads_table = {
    PINSIGHT_TITLED("Threads", NULL, "threads", row_columns),
    PINSIGHT_ROWS_IN(struct pinsight_report, threads, thread_count),
    .screen = "all_ns share self_ns c_self_ns waited_ns ready_ns calls c_calls process thread "
              "openmp_thread name",
    .json = "pid python_thread_id tid os_threads name openmp calls c_calls busy_ns self_ns "
            "c_self_ns waited_ns ready_ns counted_calls counted_c_calls max_depth begin_ns end_ns",
    .csv = "pid python_thread_id tid name calls c_calls busy_ns self_ns c_self_ns",
};

void pinsight_section_threads(const struct pinsight_report *report, FILE *out, size_t limit) {
    if (report->thread_count && !(report->python_ns + report->c_ns)) {
        if (pinsight_omp_seen(report)) {
            pinsight_section_openmp_threads(report, out, limit);
            return;
        }
        if (pinsight_mpi_seen(report)) /* the table of ranks has their times */
            return;
    }
    pinsight_section_print(report, out, &pinsight_threads_table, limit);
}

void pinsight_threads_json(const struct pinsight_report *report, struct pinsight_json *json,
                           size_t limit) {
    pinsight_report_list(report, json, &pinsight_threads_table, 0);
    pinsight_processes_json(report, json);
}

/* The tables of threads and processes. */
#include "base/memory.h"
#include "base/text.h"
#include "views/mpi/mpi.h"
#include "views/openmp/openmp.h"
#include "views/process_name.h"
#include "views/report/control.h"
#include "views/report/head.h"
#include "views/report/sections.h"
#include "views/report/tables.h"

#include <stdlib.h>

static const struct pinsight_thread_row *thread_row(const void *row) {
    return row;
}

SHOWN(has_processes, view_processes_are_named(report->model))

VALUE(process_name, struct pinsight_process, pinsight_value_owned(view_process_name(row)))

VALUE(process_short_name, struct pinsight_process,
      pinsight_value_owned(view_process_short_name(row)))

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

VALUE(thread_share, void, pinsight_value_share(self_ns(row), report->python_ns + report->c_ns))

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

static struct pinsight_value domain_mode(const void *view, const void *row) {
    uint32_t mode = ((const struct pinsight_process_domain *)row)->mode;

    return pinsight_value_text(mode < 4 ? pinsight_mode_word(mode) : NULL);
}

#define D(member) MEMBER(struct pinsight_process_domain, member)
static const struct pinsight_column domain_columns[] = {
    COLUMN("name", NULL, STRING_NUMBER, D(name)),
    FIELDS(TEXT_NUMBER, D, runtime, mechanism),
    COLUMN("events", NULL, STRING_NUMBER, D(events)),
    COLUMN("selection", NULL, TEXT_NUMBER, D(selection)),
    GETTER("mode", NULL, WORD, domain_mode),
    COLUMN("size_limit", NULL, BYTES, D(size_limit)),
    COLUMN("size_limit_reached", NULL, BOOL, D(size_limit_reached)),
    COLUMN("callbacks", NULL, COUNT, D(callbacks.count)),
    COLUMN("callbacks_timed", NULL, COUNT, D(callbacks.samples)),
    COLUMN("callbacks_own_ns", NULL, NS, D(callbacks.own_ns)),
};

static const struct pinsight_table domains = {
    PINSIGHT_LIST("domains", domain_columns),
};

static void write_domains(struct pinsight_json *json, const struct pinsight_printing *printing,
                          const void *row) {
    const struct pinsight_process *process = row;

    pinsight_table_json(&domains, printing, PINSIGHT_ROWS(process->domains, process->domain_count),
                        0, json);
}

HAS(is_process, struct pinsight_process, (row->selected && pinsight_process_is_there(row)))

VALUE(parent, struct pinsight_process,
      row->ppid >= 0 ? pinsight_value_signed(row->ppid) : pinsight_value_none())

VALUE(process_time, struct pinsight_process,
      pinsight_value_number(pinsight_time_rest(row->last_ns, row->first_ns)))

static const struct pinsight_column process_columns[] = {
    GETTER("name", "process", TEXT, process_name, .only = PINSIGHT_FORM_JSON),
    GETTER("name", "process", TEXT, process_short_name, .only = PINSIGHT_FORM_SCREEN,
           .align = PINSIGHT_LEFT),
    COLUMN("pid", "pid", SIGNED, P(pid)),
    COLUMN("ppid", NULL, SIGNED, P(ppid), .needs = P(has_info)),
    GETTER("parent", "parent", SIGNED, parent, .none = ""),
    COLUMN("rank", NULL, SIGNED, P(rank), .needs = P(has_info)),
    FIELDS(TEXT_NUMBER, P, hostname, program),
    COLUMN("command", "command", TEXT_NUMBER, P(command), .align = PINSIGHT_FLEXIBLE),
    COLUMN("events", "events", COUNT, P(events)),
    GETTER("time", "time", NS, process_time),
    COLUMN("begin_ns", NULL, NS, P(first_ns)),
    COLUMN("end_ns", NULL, NS, P(last_ns)),
    WRITER("domains", write_domains),
};

static const struct pinsight_table processes = {
    PINSIGHT_LIST("processes", process_columns),
    PINSIGHT_POINTERS_INSIDE(struct pinsight_report, model, struct pinsight_model, processes,
                             process_count),
    .has = is_process,
    .screen = "name pid parent events time command",
    .json = "pid name ppid rank hostname program command events begin_ns end_ns domains",
};

void pinsight_section_processes(const struct pinsight_report *report, FILE *out, size_t limit) {
    size_t count = 0;

    for (size_t i = 0; i < report->model->process_count; i++)
        count += is_process(report, report->model->processes[i]);
    if (count < 2)
        return;
    pinsight_head_section(
        report, out, "Processes",
        pinsight_rows_shown(count, limit) < count ? "the first; --limit 0 shows all" : NULL);
    pinsight_report_table(report, out, &processes, pinsight_table_rows(&processes, report), limit);
}

void pinsight_threads_json(const struct pinsight_report *report, struct pinsight_json *json,
                           size_t limit) {
    pinsight_report_list(report, json, &pinsight_threads_table, 0);
    pinsight_report_list(report, json, &processes, 0);
}

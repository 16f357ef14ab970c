/* Tables of threads and processes. */
#include "reader/mem.h"
#include "views/cells.h"
#include "views/head.h"
#include "views/mpi.h"
#include "views/openmp.h"
#include "views/sections.h"
#include "views/text.h"

#include <stdlib.h>

void pinsight_section_threads(const struct pinsight_report *report, FILE *out, size_t limit) {
    struct pinsight_table table = pinsight_section_table(report);
    uint64_t whole = report->python_ns + report->c_ns;
    bool several = report->model->process_count - report->model->adopted_count > 1;

    if (!report->thread_count)
        return;
    if (!whole && pinsight_omp_seen(report)) {
        pinsight_section_openmp_threads(report, out, limit);
        return;
    }
    if (!whole && pinsight_mpi_seen(report)) /* the ranks say it all */
        return;
    pinsight_section_start(report, out, "Threads", report->thread_count, limit);
    pinsight_table_column(&table, "self", PINSIGHT_RIGHT, PINSIGHT_BOLD);
    pinsight_table_column(&table, "%", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "Python", PINSIGHT_RIGHT, PINSIGHT_PYTHON);
    pinsight_table_column(&table, "C", PINSIGHT_RIGHT, PINSIGHT_C);
    pinsight_table_column(&table, "calls", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "C calls", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    if (several)
        pinsight_table_column(&table, "process", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "thread", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    if (pinsight_omp_seen(report))
        pinsight_table_column(&table, "OpenMP", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "name", PINSIGHT_FLEXIBLE, PINSIGHT_PLAIN);
    for (size_t i = 0; i < pinsight_rows_shown(report->thread_count, limit); i++) {
        const struct pinsight_thread_row *row = &report->threads[i];
        const struct pinsight_thread *thread = row->thread;
        char *name = pinsight_text_clean(row->name);

        pinsight_time_cell(&table, row->self_ns + row->c_self_ns);
        pinsight_share_cell(&table, row->self_ns + row->c_self_ns, whole);
        pinsight_time_cell(&table, row->self_ns);
        pinsight_time_cell(&table, row->c_self_ns);
        pinsight_number_cell(&table, row->calls);
        pinsight_number_cell(&table, row->c_calls);
        if (several)
            pinsight_table_cell(&table, pinsight_format("%lld", (long long)thread->process->pid));
        pinsight_table_cell(&table, thread->number < 0
                                        ? pinsight_format("tid %u", thread->tid)
                                        : pinsight_format("%lld", (long long)thread->number));
        if (pinsight_omp_seen(report))
            pinsight_table_cell(&table, thread->openmp
                                            ? pinsight_format("%u", thread->openmp->number)
                                            : pinsight_strdup(""));
        pinsight_table_cell(&table, thread->os_threads > 1
                                        ? pinsight_format("%s (%u threads, one after another)",
                                                          name, thread->os_threads)
                                        : pinsight_strdup(name));
        free(name);
    }
    pinsight_table_print(&table, out);
}

void pinsight_section_processes(const struct pinsight_report *report, FILE *out, size_t limit) {
    const struct pinsight_model *model = report->model;
    struct pinsight_table table = pinsight_section_table(report);
    size_t rows = 0, count = 0;

    for (size_t i = 0; i < model->process_count; i++)
        count += model->processes[i]->selected && pinsight_process_is_there(model->processes[i]);
    if (count < 2)
        return;
    pinsight_head_section(
        report, out, "Processes",
        pinsight_rows_shown(count, limit) < count ? "the first; --limit 0 shows all" : NULL);
    pinsight_table_column(&table, "process", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "parent", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "events", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "time", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "command", PINSIGHT_FLEXIBLE, PINSIGHT_PLAIN);
    for (size_t i = 0; i < model->process_count && rows < pinsight_rows_shown(count, limit); i++) {
        const struct pinsight_process *process = model->processes[i];

        if (!process->selected || !pinsight_process_is_there(process))
            continue;
        rows++;
        pinsight_table_cell(&table, pinsight_format("%lld", (long long)process->pid));
        pinsight_table_cell(&table, process->ppid >= 0
                                        ? pinsight_format("%lld", (long long)process->ppid)
                                        : pinsight_strdup(""));
        pinsight_number_cell(&table, process->events);
        pinsight_time_cell(&table, process->last_ns - process->first_ns);
        pinsight_table_cell(
            &table, pinsight_text_clean(pinsight_strings_text(&model->strings, process->command)));
    }
    pinsight_table_print(&table, out);
}

/* The tables of a report on a screen. A summary shows some of them, too. */
#ifndef PINSIGHT_VIEWS_SECTIONS_H
#define PINSIGHT_VIEWS_SECTIONS_H

#include "base/json.h"
#include "views/kit/table.h"
#include "views/report/report.h"

/* Write at most `limit` rows (0: all), and a line with the number of further rows. */
void pinsight_section_functions(const struct pinsight_report *report, FILE *out, size_t limit);
void pinsight_section_threads(const struct pinsight_report *report, FILE *out, size_t limit);
void pinsight_section_rank_rows(const struct pinsight_report *report, FILE *out, size_t limit);
void pinsight_section_processes(const struct pinsight_report *report, FILE *out, size_t limit);

/* Tables of a report. pinsight_callee_table has C callables, each with all its callers. */
extern const struct pinsight_table pinsight_c_call_table, pinsight_callee_table,
    pinsight_module_table, pinsight_file_table, pinsight_threads_table, pinsight_rank_rows_table;

/* Write the lists for other programs: functions and C calls, with modules or files on request;
 * threads; processes. */
void pinsight_functions_json(const struct pinsight_report *report, struct pinsight_json *json,
                             size_t limit);
void pinsight_functions_csv(const struct pinsight_report *report, FILE *out, size_t limit);
void pinsight_processes_json(const struct pinsight_report *report, struct pinsight_json *json);
void pinsight_threads_json(const struct pinsight_report *report, struct pinsight_json *json,
                           size_t limit);

/* Inner tables of struct pinsight_thread, and of a struct pinsight_process with its id. */
extern const struct pinsight_table pinsight_thread_table, pinsight_pid_table;

#endif

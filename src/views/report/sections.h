/* The tables of a report on a screen; a summary shows some of them too. */
#ifndef PINSIGHT_VIEWS_SECTIONS_H
#define PINSIGHT_VIEWS_SECTIONS_H

#include "base/json.h"
#include "views/kit/table.h"
#include "views/report/report.h"

/* Each prints at most limit rows (0 is all), and a line that says how many more there are. */
void pinsight_section_functions(const struct pinsight_report *report, FILE *out, size_t limit);
void pinsight_section_threads(const struct pinsight_report *report, FILE *out, size_t limit);
void pinsight_section_rank_rows(const struct pinsight_report *report, FILE *out, size_t limit);
void pinsight_section_processes(const struct pinsight_report *report, FILE *out, size_t limit);

/* Tables of a report; of C callables, each with all its callers together. */
extern const struct pinsight_table pinsight_c_call_table, pinsight_callee_table,
    pinsight_module_table, pinsight_file_table, pinsight_threads_table, pinsight_rank_rows_table;

/* The forms for other programs. Functions, C calls, and where they are asked for modules or files;
 * threads; processes. */
void pinsight_functions_json(const struct pinsight_report *report, struct pinsight_json *json,
                             size_t limit);
void pinsight_functions_csv(const struct pinsight_report *report, FILE *out, size_t limit);
void pinsight_threads_json(const struct pinsight_report *report, struct pinsight_json *json,
                           size_t limit);

/* Columns of struct pinsight_thread, and of struct pinsight_process: its number. */
extern const struct pinsight_table pinsight_thread_table, pinsight_pid_table;

#endif

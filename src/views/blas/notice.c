/* BLAS that was not recorded. */
#include "views/blas/blas.h"

#include "base/run_info.h"
#include "views/report/attribution.h"
#include "views/report/not_recorded_notices.h"
#include "views/report/tables.h"

#include <string.h>

/* Returns whether a function of a package was recorded. `part` is a part of its files' paths. */
static bool has_code_of(const struct pinsight_report *report, const char *part) {
    for (size_t i = 0; i < report->function_count; i++)
        if (strstr(report->functions[i].file, part))
            return true;
    return false;
}

/* The share of all time from which unseen work of BLAS is worth a line of the summary. */
#define BLAS_SHARE 0.05

/* Returns whether calls that NumPy and SciPy pass to BLAS took much of the time. */
static bool blas_matters(const struct pinsight_report *report) {
    static const char *const words[] = {"matmul", "linalg", "lapack", "dot", "einsum", "inner"};
    uint64_t ns = 0;

    for (size_t i = 0; i < report->callee_count; i++) {
        const char *name = report->callees[i].name;
        bool is_numeric = strstr(name, "numpy") || strstr(name, "scipy");

        for (size_t w = 0; is_numeric && w < sizeof(words) / sizeof(words[0]); w++)
            if (strstr(name, words[w])) {
                ns += report->callees[i].times.self_ns;
                break;
            }
    }
    return (double)ns >= BLAS_SHARE * (double)report->whole_ns;
}

/* Adds a sentence about libraries whose calls bypassed PInsight. */
static void notice_left_out(struct pinsight_notices *notices,
                            const struct pinsight_report *report) {
    const struct pinsight_blas *blas = pinsight_model_blas(report->model);
    const char *first = NULL, *slash;
    size_t more = 0;

    for (size_t i = 0; blas && i < blas->library_count; i++) {
        if (!blas->libraries[i].left_out)
            continue;
        more += first != NULL;
        first = first ? first : pinsight_report_string(report, blas->libraries[i].path);
    }
    if (!first)
        return;
    slash = strrchr(first, '/');
    first = slash ? slash + 1 : first;
    if (more)
        pinsight_notice(notices, PINSIGHT_NOTICE_ALWAYS,
                        "Calls of %s and of %zu other BLAS librar%s were not recorded: a process "
                        "has too many with the same names.",
                        first, more, more == 1 ? "y" : "ies");
    else
        pinsight_notice(notices, PINSIGHT_NOTICE_ALWAYS,
                        "Calls of %s were not recorded: a process has too many BLAS libraries "
                        "with the same names.",
                        first);
}

/* Where the domain was there, all other calls of BLAS are seen, with the threads or without. */
void pinsight_blas_notice(struct pinsight_notices *notices, const struct pinsight_report *report) {
    const struct pinsight_run_info *run = report->options.run;
    const char *name;
    bool asked;

    notice_left_out(notices, report);
    if (!run || !run->openmp[0] || !run->thread_blas[0] ||
        pinsight_report_has_domain(report, "BLAS"))
        return;
    asked = !strcmp(run->openmp, "asked");
    if (!asked && !has_code_of(report, "/numpy/"))
        return;
    name = strrchr(run->thread_blas, '/');
    pinsight_notice(notices,
                    asked || blas_matters(report) ? PINSIGHT_NOTICE_ALWAYS : PINSIGHT_NOTICE_DETAIL,
                    "NumPy's BLAS (%s) has threads of its own (pthreads), which no OpenMP tool "
                    "sees, and no call of it was recorded. Debian's libopenblas0-openmp, conda's "
                    "\"libopenblas=*=*openmp*\" or a site's NumPy would show the threads.",
                    name ? name + 1 : run->thread_blas);
}

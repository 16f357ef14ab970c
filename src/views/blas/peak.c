/* The part of the processor's peak that calls reached. */
#include "base/peak.h"

#include "base/run_info.h"
#include "views/blas/blas.h"
#include "views/report/head.h"

#include <string.h>

bool pinsight_blas_peak(const struct pinsight_report *report, struct pinsight_peak *peak) {
    return report->options.run && pinsight_peak_find(report->options.run->processor, peak);
}

double pinsight_blas_peak_ns(const struct pinsight_peak *peak, const char *routine,
                             unsigned threads, double operations) {
    enum pinsight_precision precision =
        *routine == 's' || *routine == 'c' ? PINSIGHT_SINGLE : PINSIGHT_DOUBLE;

    return operations / pinsight_peak_of(peak, precision, threads);
}

void pinsight_blas_peak_note(const struct pinsight_report *report, FILE *out, bool is_exceeded) {
    const struct pinsight_run_info *run = report->options.run;
    struct pinsight_peak peak;
    char own[sizeof(peak.processor)];

    pinsight_processor_model(own, sizeof(own));
    if (pinsight_blas_peak(report, &peak)) {
        if (is_exceeded)
            pinsight_head_note(
                report, out,
                "More than 100 %% of the peak: the routine needs fewer operations than its "
                "textbook says, or the peak was measured while the processor was slower. "
                "`pinsight doctor --peak` measures it again.");
    } else if (!run || !run->processor[0]) {
        pinsight_head_note(report, out,
                           "No peak is known: the trace does not say on which processor it was "
                           "recorded.");
    } else if (strcmp(run->processor, own) != 0) {
        pinsight_head_note(report, out,
                           "No peak is known of the processor of this trace (%s): `pinsight "
                           "doctor --peak` measures it on that machine.",
                           run->processor);
    } else {
        pinsight_head_note(report, out,
                           "No peak is known of this processor: `pinsight doctor --peak` measures "
                           "it, and the share of it is shown here.");
    }
}

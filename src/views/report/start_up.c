/* The imports of packages at the start of a run; see start_up.h. */
#include "views/report/start_up.h"

#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "views/report/attribution.h"

#include <stdlib.h>

#define LEAST_SHARE 0.01

uint64_t pinsight_start_up_ns(const struct pinsight_report *report) {
    return pinsight_attribution_import_took(&report->attribution->all_imports);
}

bool pinsight_start_up_shows(const struct pinsight_report *report) {
    const uint64_t ns = pinsight_start_up_ns(report);

    return ns && (double)ns >= LEAST_SHARE * (double)report->whole_ns;
}

void pinsight_start_up_print(const struct pinsight_report *report, FILE *out) {
    const struct pinsight_attribution_view *view = report->attribution;
    const uint64_t whole = pinsight_start_up_ns(report);
    char *text;

    if (!pinsight_start_up_shows(report))
        return;
    text = pinsight_format("Imports %s", pinsight_units_time(whole).text);
    for (size_t i = 0; i < view->import_count; i++) {
        const struct pinsight_attribution_import *import = &view->imports[i];
        uint64_t ns = pinsight_attribution_import_took(import);
        char *name = pinsight_text_clean(import->package ? import->package : "others"), *longer;

        if ((double)ns < LEAST_SHARE * (double)whole) {
            free(name);
            break;
        }
        longer = pinsight_format("%s%s%s %s", text, i ? " · " : ": ", name,
                                 pinsight_units_time(ns).text);
        free(name);
        if (pinsight_text_width(longer) > report->options.width) {
            free(longer);
            break;
        }
        free(text);
        text = longer;
    }
    fprintf(out, "%s\n", text);
    free(text);
}

/* The imports at the start of a run; see start_up.h. */
#include "views/report/start_up.h"

#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "views/report/attribution.h"

#include <stdlib.h>

#define LEAST_SHARE 0.01
/* The most modules of the user's that the line names. */
#define MOST_OWN 3

uint64_t pinsight_start_up_ns(const struct pinsight_report *report) {
    return pinsight_attribution_import_took(&report->attribution->all_imports);
}

bool pinsight_start_up_shows(const struct pinsight_report *report) {
    const uint64_t ns = pinsight_start_up_ns(report);

    return ns && (double)ns >= LEAST_SHARE * (double)report->whole_ns;
}

uint64_t pinsight_start_up_own_ns(const struct pinsight_report *report) {
    const struct pinsight_attribution_view *view = report->attribution;
    uint64_t ns = 0;

    for (size_t i = 0; i < view->own_import_count; i++)
        ns += pinsight_attribution_import_took(&view->own_imports[i]);
    return (double)ns >= LEAST_SHARE * (double)report->whole_ns ? ns : 0;
}

/* Adds the imports that take a hundredth of `whole` to a text, at most `most`, as far as `width`
 * columns have room for it. Returns the text in place of the given one. The caller frees it. */
static char *add_imports(char *text, const struct pinsight_attribution_import *imports,
                         size_t count, size_t most, uint64_t whole, size_t width) {
    for (size_t i = 0; i < count && i < most; i++) {
        const uint64_t ns = pinsight_attribution_import_took(&imports[i]);
        char *name = pinsight_text_clean(imports[i].package ? imports[i].package : "others");
        char *longer = pinsight_format("%s%s%s %s", text, i ? " · " : ": ", name,
                                       pinsight_units_time(ns).text);

        free(name);
        if ((double)ns < LEAST_SHARE * (double)whole || pinsight_text_width(longer) > width) {
            free(longer);
            break;
        }
        free(text);
        text = longer;
    }
    return text;
}

/* Returns a text such as "; yours 585 ms: billing.rates 520 ms", or an empty one. The caller frees
 * it. */
static char *own_text(const struct pinsight_report *report, size_t width) {
    const struct pinsight_attribution_view *view = report->attribution;
    const uint64_t ns = pinsight_start_up_own_ns(report);

    if (!ns)
        return pinsight_strdup("");
    return add_imports(
        pinsight_format("%s %s", pinsight_start_up_shows(report) ? "; yours" : "Imports of yours",
                        pinsight_units_time(ns).text),
        view->own_imports, view->own_import_count, MOST_OWN, ns, width);
}

static char *libraries_text(const struct pinsight_report *report, size_t most, size_t width) {
    const struct pinsight_attribution_view *view = report->attribution;
    const uint64_t ns = pinsight_start_up_ns(report);

    if (!pinsight_start_up_shows(report))
        return pinsight_strdup("");
    return add_imports(pinsight_format("Imports %s", pinsight_units_time(ns).text), view->imports,
                       view->import_count, most, ns, width);
}

/* One library has room first, then modules of the user's, and then further libraries. */
void pinsight_start_up_print(const struct pinsight_report *report, FILE *out) {
    const size_t width = report->options.width;
    char *first = libraries_text(report, 1, width);
    char *own = own_text(report, pinsight_time_rest(width, pinsight_text_width(first)));
    char *libraries =
        libraries_text(report, SIZE_MAX, pinsight_time_rest(width, pinsight_text_width(own)));

    if (*libraries || *own)
        fprintf(out, "%s%s\n", libraries, own);
    PINSIGHT_FREE(first, own, libraries);
}

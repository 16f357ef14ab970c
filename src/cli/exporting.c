/* Writes a trace in a format, and reports the result. */
#include "cli/exporting.h"

#include "base/memory.h"
#include "base/message.h"
#include "cli/view_options.h"
#include "cli/view_signals.h"

#include <string.h>
#include <unistd.h>

const char *const pinsight_exporting_sources[] = {"user", "all", "none", NULL};

char *pinsight_exporting_output(const char *trace, const char *suffix) {
    size_t end = strlen(trace), start;

    while (end > 1 && trace[end - 1] == '/')
        end--;
    for (start = end; start > 0 && trace[start - 1] != '/'; start--)
        continue;
    if (end - start == 0 || !strncmp(trace + start, ".", end - start) ||
        !strncmp(trace + start, "..", end - start))
        return pinsight_format("trace%s", suffix);
    return pinsight_format("%.*s%s", (int)(end - start), trace + start, suffix);
}

/* Reports the output and its missing parts. Returns the exit status. */
static int say_outcome(const struct pinsight_export *export, bool quiet,
                       void (*told)(void *data, const struct pinsight_export *export), void *data) {
    pinsight_view_warn(&export->source, quiet);
    if (!quiet && !export->slices && export->model->counted_count)
        pinsight_note("there is nothing in it: calls were counted (MONITORING), and times of "
                      "single calls need TRACING; the profiles (--to pstats, callgrind, "
                      "speedscope, folded) have the counts");
    else if (!quiet && !export->slices)
        pinsight_note("there is nothing in it: the trace has no function, region or call");
    if (!quiet && export->note)
        pinsight_note("%s", export->note);
    if (told)
        told(data, export);
    if (export->source.stopped) {
        pinsight_warning("the reading was interrupted: this is the trace's beginning");
        return 130;
    }
    return export->source.warning_count > 0;
}

int pinsight_exporting(const struct pinsight_export_format *format,
                       struct pinsight_export_options *options, bool quiet,
                       void (*told)(void *data, const struct pinsight_export *export), void *data) {
    struct pinsight_export export;
    int rc = 1;

    options->progress = !quiet && isatty(STDERR_FILENO);
    options->stop = pinsight_view_signals();
    if (pinsight_export_write(&export, format, options) == 0)
        rc = say_outcome(&export, quiet, told, data);
    else if (export.unread)
        rc = 0;
    else
        pinsight_error("%s", export.error);
    pinsight_export_clear(&export);
    return rc;
}

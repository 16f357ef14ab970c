/* Sums waiting by cause; see waited.h. */
#include "views/report/waited.h"

#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "reader/waits.h"
#include "views/domain.h"
#include "views/kit/screen.h"
#include "views/report/attribution.h"
#include "views/report/tables.h"

#include <stdlib.h>

/* Least percentages of all waiting in the line: of a known cause, and of an unknown cause. */
#define LEAST_PERCENT 1
#define LEAST_OTHER_PERCENT 10

static const char *const names[PINSIGHT_WAITS] = {
    [PINSIGHT_WAIT_OTHER] = "other",           [PINSIGHT_WAIT_IDLE] = "idle",
    [PINSIGHT_WAIT_GIL] = "the GIL",           [PINSIGHT_WAIT_LOCK] = "locks",
    [PINSIGHT_WAIT_SLEEP] = "sleep",           [PINSIGHT_WAIT_POLL] = "select, poll",
    [PINSIGHT_WAIT_SOCKET] = "sockets",        [PINSIGHT_WAIT_FILE] = "files, pipes",
    [PINSIGHT_WAIT_CHILD] = "child processes",
};

/* Names of waiting in a domain's slices that the domain itself does not know as waiting. Examples
 * are MPI_Init, and a call in a region that sleeps. */
static const char *const otherwise[READER_DOMAINS] = {
    [READER_MPI] = "something in MPI",
    [READER_OPENMP] = "something in OpenMP",
};

/* Slices of Python that are not calls have no known cause. */
static bool is_native(unsigned cause) {
    enum reader_domain_number domain;

    if (cause < PINSIGHT_WAITS)
        return false;
    domain = slice_domain(cause - PINSIGHT_WAIT_SLICE);
    return domain != READER_PYTHON && domain != READER_CORE;
}

static const char *name_of(unsigned cause) {
    return cause < PINSIGHT_WAITS ? names[cause] : names[PINSIGHT_WAIT_OTHER];
}

static void add(struct pinsight_report *report, const char *name, uint64_t ns) {
    size_t i = 0;

    while (i < report->wait_count && report->waits[i].cause != name)
        i++;
    if (i == report->wait_count)
        report->waits[report->wait_count++] = (struct pinsight_wait_row){.cause = name};
    report->waits[i].waiting_ns += ns;
}

static int longer_first(const void *a, const void *b) {
    const struct pinsight_wait_row *one = a, *other = b;

    return (one->waiting_ns < other->waiting_ns) - (one->waiting_ns > other->waiting_ns);
}

/* A domain knows the waiting part of its time, and shows it in its own line. This part has the
 * domain's name. */
static void add_native(struct pinsight_report *report, unsigned domain, uint64_t ns) {
    const char *name = view_domains[domain]->on_devices ? "devices" : reader_domains[domain]->name;
    uint64_t known = ns;

    if (otherwise[domain])
        known = pinsight_least(report->attribution->all[domain].waiting_ns, ns);
    if (known)
        add(report, name, known);
    if (ns > known)
        add(report, otherwise[domain], ns - known);
}

void pinsight_waited_make(struct pinsight_report *report) {
    const struct pinsight_wait_sums *waits = report->model->waits;
    uint64_t native[READER_DOMAINS] = {0};

    report->waits = pinsight_calloc(PINSIGHT_WAITS_ALL + READER_DOMAINS, sizeof(*report->waits));
    for (unsigned cause = 0; waits && cause < PINSIGHT_WAITS_ALL; cause++)
        if (is_native(cause))
            native[slice_domain(cause - PINSIGHT_WAIT_SLICE)] += waits->ns[cause];
        else if (waits->ns[cause])
            add(report, name_of(cause), waits->ns[cause]);
    for (unsigned domain = 0; domain < READER_DOMAINS; domain++)
        if (native[domain])
            add_native(report, domain, native[domain]);
    qsort(report->waits, report->wait_count, sizeof(*report->waits), longer_first);
}

/* A thread without any open slice is in no other table. */
static bool is_shown(const struct pinsight_wait_row *row) {
    return row->cause != names[PINSIGHT_WAIT_IDLE];
}

bool pinsight_waited_is_answer(const struct pinsight_wait_row *row) {
    return row->cause == names[PINSIGHT_WAIT_SOCKET] || row->cause == names[PINSIGHT_WAIT_FILE];
}

uint64_t pinsight_waited_ns(const struct pinsight_report *report) {
    uint64_t all = 0;

    for (size_t i = 0; i < report->wait_count; i++)
        all += is_shown(&report->waits[i]) ? report->waits[i].waiting_ns : 0;
    return all;
}

void pinsight_waited_print(const struct pinsight_report *report, FILE *out) {
    const uint64_t all = pinsight_waited_ns(report);
    size_t width = 0;
    char *line = pinsight_strdup("");

    for (size_t i = 0; i < report->wait_count; i++) {
        const struct pinsight_wait_row *row = &report->waits[i];
        bool is_other = row->cause == names[PINSIGHT_WAIT_OTHER];
        char *part;

        if (!is_shown(row) ||
            row->waiting_ns < all / 100 * (is_other ? LEAST_OTHER_PERCENT : LEAST_PERCENT))
            continue;
        part = pinsight_format("%s%s %s", *line ? " · " : "Waiting for ", row->cause,
                               pinsight_units_time(row->waiting_ns).text);
        width += pinsight_text_width(part);
        if (width <= report->options.width)
            pinsight_append(&line, "%s", part);
        free(part);
    }
    if (all > (report->python_ns + report->c_ns) / 100 && *line)
        fprintf(out, "%s\n", line);
    free(line);
}

#define W(member) MEMBER(struct pinsight_wait_row, member)
static const struct pinsight_column columns[] = {
    FIELD(STRING, W, cause),
    FIELD(NS, W, waiting_ns),
};

static const struct pinsight_table table = {
    PINSIGHT_LIST("waits", columns),
    PINSIGHT_ROWS_IN(struct pinsight_report, waits, wait_count),
};

void pinsight_waited_json(const struct pinsight_report *report, struct pinsight_json *json) {
    if (report->wait_count)
        pinsight_report_list(report, json, &table, 0);
}

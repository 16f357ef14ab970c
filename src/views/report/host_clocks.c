/* Corrected clocks of hosts; see host_clocks.h. */
#include "views/report/host_clocks.h"

#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "reader/hosts/offsets.h"
#include "views/report/tables.h"

#include <stdlib.h>

/* A clock that was ahead is corrected by a negative number. */
static int64_t ahead_at_begin(const struct pinsight_host_correction *host) {
    return -host->points[0].ns;
}

static int64_t ahead_at_end(const struct pinsight_host_correction *host) {
    return -host->points[host->point_count - 1].ns;
}

static bool is_known(const struct pinsight_host_correction *host) {
    return host->unsure_ns < PINSIGHT_NO_BOUND;
}

static uint64_t size_of(const struct pinsight_host_correction *host) {
    uint64_t begin = (uint64_t)llabs(ahead_at_begin(host));
    uint64_t end = (uint64_t)llabs(ahead_at_end(host));

    return begin > end ? begin : end;
}

/* Appends "ahead by 50.0 ms", or how that changed. */
static void append_ahead(char **text, const struct pinsight_host_correction *host) {
    int64_t begin = ahead_at_begin(host), end = ahead_at_end(host);

    pinsight_append(text, "%s by %s", begin < 0 ? "behind" : "ahead",
                    pinsight_units_time((uint64_t)llabs(begin)).text);
    if (host->point_count > 1)
        pinsight_append(text, " at the begin and %s by %s at the end", end < 0 ? "behind" : "ahead",
                        pinsight_units_time((uint64_t)llabs(end)).text);
}

char *pinsight_host_clocks_text(const struct pinsight_report *report) {
    const struct pinsight_host_corrections *all = &report->model->corrections;
    const struct pinsight_host_correction *most = NULL;
    size_t count = 0;
    char *text = NULL, *name;

    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].point_count) {
            count++;
            if (!most || size_of(&all->items[i]) > size_of(most))
                most = &all->items[i];
        }
    if (!most)
        return NULL;
    name = pinsight_text_clean(most->host);
    pinsight_append(&text, "The clock of %s was ", name);
    free(name);
    append_ahead(&text, most);
    if (count > 1)
        pinsight_append(&text, ", and %zu more differ%s", count - 1, count == 2 ? "s" : "");
    pinsight_append(&text,
                    ", or messages would arrive before they are sent. The times of %s corrected",
                    count == 1 ? "this host are" : "these hosts are");
    if (is_known(most))
        pinsight_append(&text, ", to within %s",
                        pinsight_units_time((uint64_t)most->unsure_ns).text);
    pinsight_append(&text, ".");
    if (all->left_ns)
        pinsight_append(&text, " Messages of other moments contradict that by up to %s.",
                        pinsight_units_time(all->left_ns).text);
    return text;
}

#define H(member) MEMBER(struct pinsight_host_correction, member)

static struct pinsight_value signed_value(int64_t ns) {
    return (struct pinsight_value){.whole = ns};
}

VALUE(begin, struct pinsight_host_correction, signed_value(ahead_at_begin(row)))
VALUE(end, struct pinsight_host_correction, signed_value(ahead_at_end(row)))
VALUE(unsure, struct pinsight_host_correction,
      is_known(row) ? pinsight_value_number((uint64_t)row->unsure_ns) : pinsight_value_none())

static const struct pinsight_column columns[] = {
    COLUMN("host", NULL, STRING, H(host)),
    GETTER("ahead_at_begin_ns", NULL, SIGNED, begin),
    GETTER("ahead_at_end_ns", NULL, SIGNED, end),
    GETTER("unsure_ns", NULL, NS, unsure),
};

static bool has_points(const void *view, const void *row) {
    (void)view;
    return ((const struct pinsight_host_correction *)row)->point_count != 0;
}

static const struct pinsight_table host_clocks = {
    PINSIGHT_LIST("host_clocks", columns),
    PINSIGHT_ROWS_INSIDE(struct pinsight_report, model, struct pinsight_model, corrections.items,
                         corrections.count),
    .has = has_points,
};

void pinsight_host_clocks_json(const struct pinsight_report *report, struct pinsight_json *json) {
    if (report->model->corrections.count)
        pinsight_report_list(report, json, &host_clocks, 0);
}

/* The table of the user's functions with the native work that they caused. */
#include "views/report/attribution.h"

#include "base/memory.h"
#include "base/text.h"
#include "views/report/head.h"
#include "views/report/tables.h"

#include <stdlib.h>

/* Narrower screens leave out columns. */
#define WIDTH_FOR_WAITING 70
#define WIDTH_FOR_READY 80
#define WIDTH_FOR_ALL 76
#define WIDTH_FOR_SHARES 90

static const struct pinsight_attribution_view *attribution_of(const void *view) {
    return ((const struct pinsight_report *)view)->attribution;
}

static bool has_domain(const void *view, unsigned domain) {
    return pinsight_attribution_any(&attribution_of(view)->all[domain]);
}

static bool has_waiting(const void *view) {
    const struct pinsight_attribution_view *attribution = attribution_of(view);
    struct pinsight_attribution_work wall = pinsight_attribution_wall(attribution->all);

    return ((const struct pinsight_report *)view)->has_clocks &&
           (pinsight_attribution_away_ns(&attribution->away) || wall.wall_waiting_ns ||
            wall.wall_away_ns);
}

static bool has_garbage(const void *view) {
    return attribution_of(view)->gc_ns > 0;
}

/* Returns a part of a row on a screen, which shows waiting apart. The row of unrecorded time has no
 * file, and no parts. */
static struct pinsight_value part(const struct pinsight_attribution_function *row, uint64_t ns) {
    return row->file ? pinsight_value_number(ns) : pinsight_value_none();
}

VALUE(python_running, struct pinsight_attribution_function,
      part(row, pinsight_time_rest(row->python_ns, row->away.python_ns)))

VALUE(c_running, struct pinsight_attribution_function,
      part(row, pinsight_time_rest(row->c_ns, row->away.c_ns)))

VALUE(waiting, struct pinsight_attribution_function,
      part(row, pinsight_attribution_waiting_ns(&row->away) + row->waiting_ns))

VALUE(no_processor, struct pinsight_attribution_function,
      part(row, row->away.ready_ns + row->gc_ready_ns + row->ready_ns))

VALUE(garbage, struct pinsight_attribution_function, part(row, row->gc_ns - row->gc_ready_ns))

static unsigned count_domains(const void *view) {
    unsigned domains = 0;

    for (unsigned d = 0; d < PINSIGHT_ATTRIBUTION_DOMAINS; d++)
        domains += has_domain(view, d);
    return domains;
}

/* With many domains and little room, the functions' shares are left out, and the time ready without
 * a processor. */
static bool has_shares(const void *view) {
    return count_domains(view) + has_waiting(view) < 2 ||
           ((const struct pinsight_report *)view)->options.width >= WIDTH_FOR_SHARES;
}

static bool has_ready(const void *view) {
    return pinsight_report_has_ready(view) &&
           (!count_domains(view) ||
            ((const struct pinsight_report *)view)->options.width >= WIDTH_FOR_SHARES);
}

static uint64_t all_of(const struct pinsight_attribution_function *row) {
    return pinsight_attribution_function_ns(row) + row->waiting_ns + row->ready_ns;
}

VALUE(function_all, void, pinsight_value_number(all_of(row)))

VALUE(function_share, void,
      pinsight_value_share(all_of(row), pinsight_attribution_whole_with_idle_ns(report)))

VALUE(function_mean, struct pinsight_attribution_function,
      row->calls ? pinsight_value_number(row->sum_ns / row->calls) : pinsight_value_none())

FUNCTION_PLACE(function_place, struct pinsight_attribution_function)

static void write_function_work(struct pinsight_json *json,
                                const struct pinsight_printing *printing, const void *row) {
    pinsight_attribution_write_work(json, printing,
                                    ((const struct pinsight_attribution_function *)row)->work);
}

#define A(member) MEMBER(struct pinsight_attribution_away, member)
static const struct pinsight_column away_columns[] = {
    COLUMN("python_waiting_ns", NULL, NS, A(python_ns), .optional = A(python_ns)),
    COLUMN("c_waiting_ns", NULL, NS, A(c_ns), .optional = A(c_ns)),
    COLUMN("ready_ns", NULL, NS, A(ready_ns), .optional = A(ready_ns)),
};
const struct pinsight_table pinsight_attribution_away_table = {PINSIGHT_COLUMNS(away_columns)};

#define F(member) MEMBER(struct pinsight_attribution_function, member)
static const struct pinsight_column function_columns[] = {
    FUNCTION_COLUMNS("(not known)", F, function_place, .width = WIDTH_FOR_ALL),
    GETTER("all_ns", "all", NS, function_all, .style = PINSIGHT_BOLD),
    GETTER("share", "%", SHARE, function_share, .shown = has_shares),
    COLUMN("python_ns", NULL, NS, F(python_ns), .only = PINSIGHT_FORM_JSON),
    COLUMN("c_ns", NULL, NS, F(c_ns), .only = PINSIGHT_FORM_JSON),
    COLUMN("gc_ns", NULL, NS, F(gc_ns), .optional = F(gc_ns), .only = PINSIGHT_FORM_JSON),
    COLUMN("gc_ready_ns", NULL, NS, F(gc_ready_ns), .optional = F(gc_ready_ns),
           .only = PINSIGHT_FORM_JSON),
    GETTER("gc", "GC", NS, garbage, .shown = has_garbage, .style = PINSIGHT_PYTHON),
    INNER(NULL, &pinsight_attribution_away_table, F(away)),
    GETTER("python", "Python", NS, python_running, .style = PINSIGHT_PYTHON),
    GETTER("c", "C", NS, c_running, .style = PINSIGHT_C),
    GETTER("waiting_ns", "waiting", NS, waiting, .shown = has_waiting, .width = WIDTH_FOR_WAITING,
           .style = PINSIGHT_DIM),
    GETTER("no_cpu", "no CPU", NS, no_processor, .shown = has_ready, .width = WIDTH_FOR_READY,
           .style = PINSIGHT_DIM),
    COLUMN("resting_ns", NULL, NS, F(resting_ns), .optional = F(resting_ns),
           .only = PINSIGHT_FORM_JSON),
    COLUMN("calls", NULL, COUNT, F(calls), .only = PINSIGHT_FORM_JSON),
    GETTER("mean_ns", NULL, NS, function_mean, .only = PINSIGHT_FORM_JSON),
    COLUMN("max_ns", NULL, NS, F(max_ns), .needs = F(has_max), .only = PINSIGHT_FORM_JSON),
    COLUMN("total_ns", NULL, NS, F(total_ns), .only = PINSIGHT_FORM_JSON),
    COLUMN("domains", NULL, NS, F(work[0].wall_ns), .needs = F(file),
           .parts = PINSIGHT_ATTRIBUTION_DOMAINS,
           .stride = sizeof(struct pinsight_attribution_work),
           .part_head = pinsight_attribution_name, .part_shown = has_domain),
    WRITER("work", write_function_work),
};

const struct pinsight_table pinsight_attribution_function_table = {
    PINSIGHT_LIST("functions", function_columns),
    ATTRIBUTION_ROWS(functions, function_count),
    .screen = "all_ns share python c gc waiting_ns no_cpu domains name place",
    .json = "name file line calls total_ns mean_ns max_ns all_ns python_ns c_ns gc_ns gc_ready_ns "
            "python_waiting_ns "
            "c_waiting_ns "
            "ready_ns resting_ns work",
};

void pinsight_attribution_function_add(struct pinsight_attribution_function *to,
                                       const struct pinsight_attribution_function *from) {
    to->python_ns += from->python_ns;
    to->c_ns += from->c_ns;
    to->gc_ns += from->gc_ns;
    to->gc_ready_ns += from->gc_ready_ns;
    to->resting_ns += from->resting_ns;
    pinsight_attribution_away_add(&to->away, &from->away);
    for (unsigned d = 0; d < PINSIGHT_ATTRIBUTION_DOMAINS; d++) {
        to->work[d].wall_ns += from->work[d].wall_ns;
        to->work[d].wall_waiting_ns += from->work[d].wall_waiting_ns;
        to->work[d].wall_away_ns += from->work[d].wall_away_ns;
        to->work[d].wall_ready_ns += from->work[d].wall_ready_ns;
    }
}

/* Moves waiting, and time ready without a processor, from the domains' times to columns of their
 * own. */
static void set_apart(struct pinsight_attribution_function *row) {
    struct pinsight_attribution_work wall = pinsight_attribution_wall(row->work);

    row->waiting_ns = wall.wall_waiting_ns + wall.wall_away_ns;
    row->ready_ns = wall.wall_ready_ns;
    for (unsigned d = 0; d < PINSIGHT_ATTRIBUTION_DOMAINS; d++)
        row->work[d].wall_ns = pinsight_time_rest(
            row->work[d].wall_ns,
            row->work[d].wall_waiting_ns + row->work[d].wall_away_ns + row->work[d].wall_ready_ns);
}

/* Writes the functions. Those beyond the limit share a line, so that the lines add up. */
void pinsight_attribution_print_functions(const struct pinsight_report *report, FILE *out,
                                          size_t limit) {
    const struct pinsight_attribution_view *view = report->attribution;
    struct pinsight_attribution_function rest = {.file = ""}, alone = {"(no Python)", .file = ""};
    struct pinsight_attribution_function *rows =
        pinsight_calloc(view->function_count + 4, sizeof(*rows));
    size_t shown = pinsight_rows_shown(view->function_count, limit), count = 0;
    size_t others = view->function_count - shown;
    const bool waits = has_waiting(report);
    char *label = NULL;

    for (; count < shown; count++)
        rows[count] = view->functions[count];
    for (size_t i = shown; i < view->function_count; i++)
        pinsight_attribution_function_add(&rest, &view->functions[i]);
    for (unsigned d = 0; d < PINSIGHT_ATTRIBUTION_DOMAINS; d++)
        alone.work[d] = view->alone[d];
    if (others) {
        rest.name = label =
            pinsight_format("(%zu other function%s)", others, others == 1 ? "" : "s");
        rows[count++] = rest;
    }
    if (pinsight_attribution_function_ns(&alone))
        rows[count++] = alone;
    if (pinsight_attribution_import_ns(&view->all_imports))
        rows[count++] =
            (struct pinsight_attribution_function){.name = "(imports)",
                                                   .file = "",
                                                   .python_ns = view->all_imports.python_ns,
                                                   .c_ns = view->all_imports.c_ns,
                                                   .away = view->all_imports.away};
    if (view->elsewhere_ns)
        rows[count++] = (struct pinsight_attribution_function){.name = "(nothing recorded)",
                                                               .python_ns = view->elsewhere_ns};
    for (size_t i = 0; waits && i < count; i++)
        set_apart(&rows[i]);
    if (view->function_count) {
        pinsight_head_section(report, out, "Your functions, with their libraries",
                              "the lines add up");
        pinsight_report_table(report, out, &pinsight_attribution_function_table,
                              PINSIGHT_ROWS(rows, count), 0);
    }
    free(label);
    free(rows);
}

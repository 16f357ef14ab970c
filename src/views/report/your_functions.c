/* The table of a summary: the user's functions, each with what it ran and waited, its calls, and
 * the line in it where most of its time goes. */
#include "base/memory.h"
#include "base/units.h"
#include "views/report/attribution.h"
#include "views/report/head.h"
#include "views/report/tables.h"

#include <stdlib.h>
#include <string.h>

/* A call is named beside its function from this share of the function's time on. */
#define CALLS_SHARE 0.25
#define WIDTH_FOR_WAITING 70
#define WIDTH_FOR_CALLS 60

#define FUNCTION struct pinsight_attribution_function

static uint64_t all_of(const FUNCTION *row) {
    return pinsight_attribution_running_ns(row) + pinsight_attribution_function_waiting_ns(row);
}

/* "6,000 × 196 µs". */
static struct pinsight_value calls_of(const FUNCTION *row) {
    char *text = NULL;

    if (row->calls)
        text = pinsight_format("%s × %s", pinsight_units_count(row->calls).text,
                               pinsight_units_time(all_of(row) / row->calls).text);
    return pinsight_value_owned(text);
}

const struct pinsight_attribution_call *
pinsight_attribution_most(const struct pinsight_attribution_view *view, const FUNCTION *row) {
    const struct pinsight_attribution_call *call =
        row->call == PINSIGHT_NONE ? NULL : &view->calls[row->call];

    return call && (double)call->ns >= CALLS_SHARE * (double)all_of(row) ? call : NULL;
}

/* "DataFrame.__getitem__": the last two parts of a name, without the modules before them. */
static const char *short_name(const char *name) {
    const char *last = strrchr(name, '.'), *at = last;

    while (at && at > name && at[-1] != '.')
        at--;
    return at && !strstr(name, "<locals>") ? at : name;
}

/* "report.py:47 → DataFrame.__getitem__", or the function's first line. */
static struct pinsight_value place_of(const struct pinsight_report *report, const FUNCTION *row) {
    const struct pinsight_attribution_call *call =
        row->users ? pinsight_attribution_most(report->attribution, row) : NULL;
    char *place, *callee, *text;

    if (!row->file || !row->file[0])
        return pinsight_value_none();
    place = pinsight_text_place(pinsight_text_file(row->file),
                                call && call->line ? call->line : row->line);
    if (!call)
        return pinsight_value_owned(place);
    callee = pinsight_text_clean(short_name(call->callee));
    text = pinsight_format("%s → %s", place, callee);
    PINSIGHT_FREE(place, callee);
    return pinsight_value_owned(text);
}

/* "main.work" of "main.<locals>.work"; to be freed. */
static struct pinsight_value name_of(const FUNCTION *row) {
    static const char within[] = "<locals>.";
    char *name, *at;

    if (!row->name)
        return pinsight_value_none();
    name = pinsight_text_clean(row->name);
    while ((at = strstr(name, within)))
        memmove(at, at + strlen(within), strlen(at + strlen(within)) + 1);
    return pinsight_value_owned(name);
}

VALUE(name, FUNCTION, name_of(row))
VALUE(running, FUNCTION, pinsight_value_number(pinsight_attribution_running_ns(row)))
VALUE(share, FUNCTION,
      pinsight_value_share(all_of(row), pinsight_attribution_worked_ns(report->attribution)))
VALUE(waiting, FUNCTION, pinsight_value_number(pinsight_attribution_function_waiting_ns(row)))
VALUE(calls, FUNCTION, calls_of(row))
VALUE(place, FUNCTION, place_of(report, row))

#define F(member) MEMBER(FUNCTION, member)
static const struct pinsight_column columns[] = {
    GETTER("running", "running", NS, running, .style = PINSIGHT_BOLD),
    GETTER("counted", "time", NS, running, .style = PINSIGHT_BOLD), /* it may have waited */
    GETTER("share", "%", SHARE, share),
    GETTER("waiting", "waiting", NS, waiting, .width = WIDTH_FOR_WAITING, .style = PINSIGHT_DIM),
    GETTER("calls", "calls × mean", TEXT, calls, .width = WIDTH_FOR_CALLS, .align = PINSIGHT_RIGHT),
    GETTER("name", "function", TEXT, name, .none = "(not known)", NAMES_IN(PYTHON)),
    GETTER("place", "where most goes", TEXT, place, .align = PINSIGHT_FLEXIBLE_FIRST,
           .style = PINSIGHT_DIM),
};
static const struct pinsight_table table = {
    PINSIGHT_COLUMNS(columns),
    .screen = "share running calls name place",
};
static const struct pinsight_table counted_table = {
    PINSIGHT_COLUMNS(columns),
    .screen = "share counted calls name place",
};
static const struct pinsight_table waiting_table = {
    PINSIGHT_COLUMNS(columns),
    .screen = "share running waiting calls name place",
};

/* Whether a function of some rows waited for a hundredth of all time. */
static bool any_waits(const struct pinsight_attribution_view *view, const FUNCTION *rows,
                      size_t count) {
    for (size_t i = 0; i < count; i++)
        if (pinsight_attribution_function_waiting_ns(&rows[i]) * 100 >=
            pinsight_attribution_worked_ns(view))
            return true;
    return false;
}

/* Functions that are not the user's, of which none of the user's is on the stack, stand together.
 */
void pinsight_section_attribution_brief(const struct pinsight_report *report, FILE *out,
                                        size_t limit) {
    const struct pinsight_attribution_view *view = report->attribution;
    FUNCTION *rows = pinsight_calloc(view->function_count + 1, sizeof(*rows));
    FUNCTION others = {.name = "(libraries)"};
    size_t users = 0, shown;
    char *remark = NULL;
    bool has_others;

    for (size_t i = 0; i < view->function_count; i++)
        if (view->functions[i].users) {
            rows[users++] = view->functions[i];
        } else {
            pinsight_attribution_function_add(&others, &view->functions[i]);
        }
    if (!users) {
        free(rows);
        return;
    }
    /* A line for them where they took a hundredth. */
    has_others = all_of(&others) * 100 >= pinsight_attribution_worked_ns(view);
    shown = pinsight_rows_shown(users, has_others && limit > 1 ? limit - 1 : limit);
    if (shown < users)
        remark = pinsight_format("%zu of %zu (--links: all)", shown, users);
    if (has_others)
        rows[shown++] = others;
    pinsight_head_section(report, out, "Your functions", remark);
    pinsight_report_table(report, out,
                          report->only_counted           ? &counted_table
                          : any_waits(view, rows, shown) ? &waiting_table
                                                         : &table,
                          PINSIGHT_ROWS(rows, shown), 0);
    PINSIGHT_FREE(rows, remark);
}

/* The table of a summary: the user's functions with their own time, its waiting part, their calls,
 * and the line with most of the time. A function's own time includes the libraries that it calls,
 * and its waiting. The total, the mean and the longest call include the user's other functions that
 * it calls, too. */
#include "base/ascii.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/units.h"
#include "views/report/attribution.h"
#include "views/report/head.h"
#include "views/report/tables.h"

#include <stdlib.h>
#include <string.h>

/* The share of a function's time from which a call is named beside it. */
#define CALLS_SHARE 0.25
/* The share of a function's time from which its waiting is shown. */
#define WAITS_SHARE 0.1
/* Narrower screens leave out columns. A mark then replaces the column for waiting. */
#define WIDTH_FOR_CALLS 50
#define WIDTH_FOR_WAITING 100
#define WIDTH_FOR_TOTAL 66
#define WIDTH_FOR_MEAN 90
#define WIDTH_FOR_LONGEST 78

#define FUNCTION struct pinsight_attribution_function

const struct pinsight_attribution_call *
pinsight_attribution_most(const struct pinsight_attribution_view *view, const FUNCTION *row) {
    const struct pinsight_attribution_call *call =
        row->call == PINSIGHT_NONE ? NULL : &view->calls[row->call];

    return call && (double)call->ns >= CALLS_SHARE * (double)pinsight_attribution_took_ns(row)
               ? call
               : NULL;
}

/* Returns the last two parts of a name, such as "DataFrame.__getitem__", without the modules before
 * them. */
static const char *short_name(const char *name) {
    const char *last = strrchr(name, '.'), *at = last;

    while (at && at > name && at[-1] != '.')
        at--;
    return at && !strstr(name, "<locals>") ? at : name;
}

/* Returns the line that waits for a lock for much of a function's time, or 0. */
static int32_t waiting_line(const FUNCTION *row) {
    return (double)row->wait_ns >= CALLS_SHARE * (double)pinsight_attribution_took_ns(row)
               ? row->wait_line
               : 0;
}

/* Returns a place such as "report.py:47 → DataFrame.__getitem__", or the function's first line. */
static struct pinsight_value place_of(const struct pinsight_report *report, const FUNCTION *row) {
    const struct pinsight_attribution_call *call =
        row->users ? pinsight_attribution_most(report->attribution, row) : NULL;
    const int32_t waiting = call || !row->users ? 0 : waiting_line(row);
    char *place, *callee, *text;

    if (!row->file || !row->file[0])
        return pinsight_value_none();
    place = pinsight_text_place(pinsight_text_file(row->file), call && call->line ? call->line
                                                               : waiting          ? waiting
                                                                                  : row->line);
    if (!call && !waiting)
        return pinsight_value_owned(place);
    callee = waiting ? pinsight_strdup("lock") : pinsight_text_clean(short_name(call->callee));
    text = pinsight_format("%s → %s", place, callee);
    PINSIGHT_FREE(place, callee);
    return pinsight_value_owned(text);
}

/* Returns "main.work" for "main.<locals>.work". The caller frees it. */
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

static bool is_waiting(const FUNCTION *row) {
    uint64_t ns = pinsight_attribution_waited_ns(row);

    return ns && (double)ns >= WAITS_SHARE * (double)pinsight_attribution_took_ns(row);
}

VALUE(name, FUNCTION, name_of(row))
/* Returns the time with the bar's sign for waiting. */
static struct pinsight_value marked(const FUNCTION *row) {
    const char *sign = pinsight_ascii_wanted() ? ":" : "╌";

    return pinsight_value_owned(
        pinsight_format("%s %s", pinsight_units_time(pinsight_attribution_took_ns(row)).text,
                        is_waiting(row) ? sign : " "));
}

VALUE(took, FUNCTION, pinsight_value_number(pinsight_attribution_took_ns(row)))
VALUE(marked_took, FUNCTION, marked(row))
VALUE(share, FUNCTION, pinsight_value_share(pinsight_attribution_took_ns(row), report->whole_ns))
VALUE(waits, FUNCTION,
      is_waiting(row) ? pinsight_value_share(pinsight_attribution_waited_ns(row),
                                             pinsight_attribution_took_ns(row))
                      : pinsight_value_none())
/* A function without calls may have begun before the recording. */
VALUE(total, FUNCTION, row->calls ? pinsight_value_number(row->total_ns) : pinsight_value_none())
VALUE(calls, FUNCTION,
      ((struct pinsight_value){
          .none = !row->calls, .number = row->calls, .at_least = row->in_part}))
VALUE(mean, FUNCTION,
      row->calls ? pinsight_value_number(row->sum_ns / row->calls) : pinsight_value_none())
VALUE(longest, FUNCTION,
      row->has_max && row->calls > 1 && row->max_ns >= row->sum_ns / row->calls
          ? pinsight_value_number(row->max_ns)
          : pinsight_value_none())
VALUE(place, FUNCTION, place_of(report, row))

static const struct pinsight_column columns[] = {
    GETTER("took", "own", NS, took, .style = PINSIGHT_BOLD),
    GETTER("marked", "own  ", TEXT, marked_took, .style = PINSIGHT_BOLD, .align = PINSIGHT_RIGHT),
    GETTER("share", "%", SHARE, share),
    GETTER("waits", "waits %", SHARE, waits, .none = "", .style = PINSIGHT_DIM),
    GETTER("total", "total", NS, total, .width = WIDTH_FOR_TOTAL, .align = PINSIGHT_RIGHT_SPARE,
           .none = ""),
    GETTER("calls", "calls", COUNT, calls, .width = WIDTH_FOR_CALLS, .none = ""),
    GETTER("mean", "mean", NS, mean, .width = WIDTH_FOR_MEAN, .align = PINSIGHT_RIGHT_SPARE,
           .none = ""),
    GETTER("longest", "longest", NS, longest, .width = WIDTH_FOR_LONGEST, .none = ""),
    GETTER("name", "function", TEXT, name, .none = "(not known)", NAMES_IN(PYTHON)),
    GETTER("place", "line where most goes", TEXT, place, .align = PINSIGHT_FLEXIBLE_FIRST,
           .style = PINSIGHT_DIM),
};
static const struct pinsight_table table = {
    PINSIGHT_COLUMNS(columns),
    .screen = "took share total calls mean longest name place",
};
static const struct pinsight_table marked_table = {
    PINSIGHT_COLUMNS(columns),
    .screen = "marked share total calls mean longest name place",
};
static const struct pinsight_table waiting_table = {
    PINSIGHT_COLUMNS(columns),
    .screen = "took share waits total calls mean longest name place",
};

static bool any_waits(const FUNCTION *rows, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (is_waiting(&rows[i]))
            return true;
    return false;
}

/* Returns a row with the waiting time of resting threads. */
static FUNCTION resting_of(const struct pinsight_attribution_view *view) {
    FUNCTION row = {0};

    for (size_t i = 0; i < view->function_count; i++)
        row.c_ns += view->functions[i].resting_ns;
    row.away.c_ns = row.c_ns;
    return row;
}

static char *label_of(const struct pinsight_attribution_view *view) {
    return pinsight_format("(%u idle thread%s)", view->resting, view->resting == 1 ? "" : "s");
}

/* Leaves idle threads out of a row. The user's functions have nothing of them. */
static void leave_out_idle(const struct pinsight_attribution_view *view, FUNCTION *row) {
    const struct pinsight_attribution_idle *idle = &view->idle;

    row->python_ns = pinsight_time_rest(row->python_ns, idle->python_ns);
    row->c_ns = pinsight_time_rest(row->c_ns, idle->c_ns);
    row->away.python_ns = pinsight_time_rest(row->away.python_ns, idle->away.python_ns);
    row->away.c_ns = pinsight_time_rest(row->away.c_ns, idle->away.c_ns);
    row->away.ready_ns = pinsight_time_rest(row->away.ready_ns, idle->away.ready_ns);
}

/* Returns whether a row outside the user's functions took a hundredth of the time, and gets a
 * line. */
static bool is_much(const struct pinsight_report *report, const FUNCTION *row) {
    return pinsight_attribution_took_ns(row) * 100 >= report->whole_ns;
}

static uint64_t key_of(const FUNCTION *row, enum pinsight_sort sort) {
    switch (sort) {
    case PINSIGHT_SORT_TOTAL:
        return row->total_ns;
    case PINSIGHT_SORT_CALLS:
        return row->calls;
    case PINSIGHT_SORT_MEAN:
        return row->calls ? row->sum_ns / row->calls : 0;
    case PINSIGHT_SORT_MAX:
        return row->has_max ? row->max_ns : 0;
    case PINSIGHT_SORT_NAME:
        return 0;
    default:
        return pinsight_attribution_took_ns(row);
    }
}

/* The attribution is in the order of own time. */
static int in_order(const void *left, const void *right, void *sort) {
    const FUNCTION *a = left, *b = right;
    const uint64_t a_key = key_of(a, *(enum pinsight_sort *)sort);
    const uint64_t b_key = key_of(b, *(enum pinsight_sort *)sort);

    return BY(b_key, a_key) ?: strcmp(a->name ? a->name : "", b->name ? b->name : "")
        ?: BY(b->order, a->order);
}

static bool is_found(const struct pinsight_report *report, const FUNCTION *row) {
    const char *find = report->options.find;

    return !find || (row->name && strcasestr(row->name, find)) ||
           (row->file && strcasestr(pinsight_text_file(row->file), find));
}

/* Returns the remark beside the title. The caller frees it. */
static char *remark_of(const struct pinsight_report *report, size_t shown, size_t users) {
    /* There is no order by the shortest call: the table does not have it. */
    static const char *const orders[] = {[PINSIGHT_SORT_SELF] = "",
                                         [PINSIGHT_SORT_TOTAL] = ", by total",
                                         [PINSIGHT_SORT_CALLS] = ", by calls",
                                         [PINSIGHT_SORT_MEAN] = ", by mean",
                                         [PINSIGHT_SORT_MIN] = "",
                                         [PINSIGHT_SORT_MAX] = ", by longest",
                                         [PINSIGHT_SORT_NAME] = ", by name"};
    char *found = report->options.find ? pinsight_text_clean(report->options.find) : NULL;
    char *remark = pinsight_format("with their libraries%s%s%s%s", orders[report->options.sort],
                                   found ? ", with \"" : "", found ? found : "", found ? "\"" : "");

    if (shown < users)
        pinsight_append(&remark, "; %zu of %zu%s", shown, users, found ? "" : " (--links: all)");
    free(found);
    return remark;
}

/* Library functions without a function of the user's on the stack share a line. */
void pinsight_section_attribution_brief(const struct pinsight_report *report, FILE *out,
                                        size_t limit) {
    const struct pinsight_attribution_view *view = report->attribution;
    FUNCTION *rows = pinsight_calloc(view->function_count + 2, sizeof(*rows));
    FUNCTION others = {.name = "(libraries)"}, resting = resting_of(view);
    enum pinsight_sort sort = report->options.sort;
    size_t users = 0, found = 0, shown, more;
    char *remark, *label = label_of(view);
    bool has_others, has_resting;

    for (size_t i = 0; i < view->function_count; i++) {
        if (!view->functions[i].users) {
            pinsight_attribution_function_add(&others, &view->functions[i]);
            continue;
        }
        users++;
        if (is_found(report, &view->functions[i]))
            rows[found++] = view->functions[i];
    }
    if (!users) {
        PINSIGHT_FREE(rows, label);
        return;
    }
    if (sort != PINSIGHT_SORT_SELF && sort != PINSIGHT_SORT_MIN)
        qsort_r(rows, found, sizeof(*rows), in_order, &sort);
    leave_out_idle(view, &others);
    has_others = !report->options.find && is_much(report, &others);
    has_resting = !report->options.find && is_much(report, &resting);
    resting.name = label;
    more = has_others + has_resting;
    shown = pinsight_rows_shown(found, limit > more ? limit - more : limit);
    remark = remark_of(report, shown, users);
    if (has_others)
        rows[shown++] = others;
    if (has_resting)
        rows[shown++] = resting;
    pinsight_head_section(report, out, "Your functions", remark);
    pinsight_report_table(report, out,
                          !any_waits(rows, shown)                     ? &table
                          : report->options.width < WIDTH_FOR_WAITING ? &marked_table
                                                                      : &waiting_table,
                          PINSIGHT_ROWS(rows, shown), 0);
    PINSIGHT_FREE(rows, remark, label);
}

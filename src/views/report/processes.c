/* The tables of processes: a tree with the starts and ends. */
#include "base/memory.h"
#include "base/order.h"
#include "base/text.h"
#include "views/process_name.h"
#include "views/report/call_place.h"
#include "views/report/control.h"
#include "views/report/head.h"
#include "views/report/sections.h"
#include "views/report/tables.h"

#include <stdlib.h>
#include <string.h>

/* A process in the tree. */
struct process_row {
    const struct pinsight_process *process;
    struct python_call_place start;
    unsigned depth;
};

/* The most levels that are indented. */
#define DEEPEST 16

static struct pinsight_value domain_mode(const void *view, const void *row) {
    uint32_t mode = ((const struct pinsight_process_domain *)row)->mode;

    return pinsight_value_text(mode < 4 ? pinsight_mode_word(mode) : NULL);
}

#define D(member) MEMBER(struct pinsight_process_domain, member)
static const struct pinsight_column domain_columns[] = {
    COLUMN("name", NULL, STRING_NUMBER, D(name)),
    FIELDS(TEXT_NUMBER, D, runtime, mechanism),
    COLUMN("events", NULL, STRING_NUMBER, D(events)),
    COLUMN("selection", NULL, TEXT_NUMBER, D(selection)),
    GETTER("mode", NULL, WORD, domain_mode),
    COLUMN("size_limit", NULL, BYTES, D(size_limit)),
    COLUMN("size_limit_reached", NULL, BOOL, D(size_limit_reached)),
    COLUMN("callbacks", NULL, COUNT, D(callbacks.count)),
    COLUMN("callbacks_timed", NULL, COUNT, D(callbacks.samples)),
    COLUMN("callbacks_own_ns", NULL, NS, D(callbacks.own_ns)),
};

static const struct pinsight_table domains = {
    PINSIGHT_LIST("domains", domain_columns),
};

static void write_domains(struct pinsight_json *json, const struct pinsight_printing *printing,
                          const void *row) {
    const struct pinsight_process *process = row;

    pinsight_table_json(&domains, printing, PINSIGHT_ROWS(process->domains, process->domain_count),
                        0, json);
}

VALUE(name, struct pinsight_process, pinsight_value_owned(view_process_name(row)))

VALUE(parent, struct pinsight_process,
      row->ppid >= 0 ? pinsight_value_signed(row->ppid) : pinsight_value_none())

VALUE(time, struct pinsight_process,
      pinsight_value_number(pinsight_time_rest(row->last_ns, row->first_ns)))

VALUE(exit_status, struct pinsight_process,
      row->has_status ? pinsight_value_signed(row->status) : pinsight_value_none())

/* Returns the exit status as text: a number, or the signal. */
static struct pinsight_value end_of(const void *view, const void *of) {
    const struct pinsight_process *row = of;

    if (!row->has_status)
        return pinsight_value_none();
    return pinsight_value_owned(row->status < 0 ? pinsight_format("signal %d", -(int)row->status)
                                                : pinsight_format("%d", (int)row->status));
}

#define P(member) MEMBER(struct pinsight_process, member)
static const struct pinsight_column process_columns[] = {
    GETTER("name", NULL, TEXT, name, .only = PINSIGHT_FORM_JSON),
    COLUMN("pid", "pid", SIGNED, P(pid)),
    COLUMN("ppid", NULL, SIGNED, P(ppid), .needs = P(has_info)),
    GETTER("parent", "parent", SIGNED, parent, .none = "", .width = 100),
    COLUMN("rank", NULL, SIGNED, P(rank), .needs = P(has_info)),
    FIELDS(TEXT_NUMBER, P, hostname, program, own_name, title),
    COLUMN("command", "command", TEXT_NUMBER, P(command), .align = PINSIGHT_FLEXIBLE),
    GETTER("exit_status", NULL, SIGNED, exit_status),
    GETTER("end", "exit", TEXT, end_of, .none = "-"),
    COLUMN("events", "events", COUNT, P(events), .width = 100),
    GETTER("time", "time", NS, time),
    COLUMN("resident_most_bytes", NULL, BYTES, P(resident_most), .needs = P(resident_most),
           .only = PINSIGHT_FORM_JSON | PINSIGHT_FORM_CSV),
    COLUMN("resident_most_bytes", "memory", BYTES, P(resident_most), .needs = P(resident_most),
           .shown = pinsight_report_has_memory, .only = PINSIGHT_FORM_SCREEN, .none = "-"),
    COLUMN("begin_ns", NULL, NS, P(first_ns)),
    COLUMN("end_ns", NULL, NS, P(last_ns)),
    WRITER("domains", write_domains),
};
static const struct pinsight_table process_table = {PINSIGHT_COLUMNS(process_columns)};

/* Returns the name with the program's own, indented by the depth in the tree. */
static struct pinsight_value tree_name(const void *view, const void *of) {
    const struct pinsight_report *report = view;
    const struct process_row *row = of;
    const struct pinsight_process *process = row->process;
    uint32_t own = process->own_name ? process->own_name : process->title;
    unsigned depth = row->depth < DEEPEST ? row->depth : DEEPEST;
    char *name = view_process_short_name(process);
    /* A worker stands below the process that it works for. */
    char *above = row->depth && view_process_works_for(process) ? strstr(name, " of ") : NULL;
    char *clean = own ? pinsight_text_clean(pinsight_report_string(report, own)) : NULL;

    if (above)
        *above = '\0';
    char *text = clean ? pinsight_format("%*s%s (%s)", 2 * (int)depth, "", name, clean)
                       : pinsight_format("%*s%s", 2 * (int)depth, "", name);

    free(name);
    free(clean);
    return pinsight_value_owned(text);
}

PYTHON_CALL_PLACE_TABLE(start, "start_", NULL, "");

VALUE(started_at, struct process_row, python_call_place_where(&row->start))

#define R(member) MEMBER(struct process_row, member)
static const struct pinsight_column columns[] = {
    GETTER("tree_name", "process", TEXT, tree_name, .align = PINSIGHT_LEFT),
    INNER(NULL, &process_table, R(process), .pointer = true),
    INNER(NULL, &start, R(start)),
    COLUMN("started_in", "started in", TEXT, R(start.name), .width = 100, NAMES_IN(PYTHON)),
    GETTER("started_at", "started at", TEXT, started_at, NAMES_IN(DIM)),
};

/* Orders by the begin, so that children follow in the order of their starts. */
static int by_begin(const void *left, const void *right) {
    const struct pinsight_process *a = *(const struct pinsight_process *const *)left,
                                  *b = *(const struct pinsight_process *const *)right;

    return BY(a->announced_ns, b->announced_ns) ?: BY(a->index, b->index);
}

static bool is_shown(const struct pinsight_process *process) {
    return process->selected && pinsight_process_is_there(process);
}

/* The processes in the order of their begins, and the rows so far. */
struct tree {
    const struct pinsight_report *report;
    const struct pinsight_process **all, **parents;
    bool *done;
    size_t count;
    struct process_row *rows;
    size_t row_count;
};

/* Adds the children of a process, with theirs; of NULL those without a shown parent. */
static void add_children(struct tree *tree, const struct pinsight_process *parent, unsigned depth) {
    for (size_t i = 0; i < tree->count; i++) {
        if (tree->done[i] || tree->parents[i] != parent)
            continue;
        tree->done[i] = true;
        tree->rows[tree->row_count++] =
            (struct process_row){.process = tree->all[i],
                                 .start = python_call_place(tree->report, tree->all[i]->start_path),
                                 .depth = depth};
        if (depth < 1000)
            add_children(tree, tree->all[i], depth + 1);
    }
}

/* Returns the shown parent, or NULL: numbers that were used again may make a circle. */
static const struct pinsight_process *parent_of(const struct pinsight_process *process) {
    const struct pinsight_process *parent = pinsight_model_parent(process);

    return parent && is_shown(parent) && parent->announced_ns <= process->announced_ns ? parent
                                                                                       : NULL;
}

static struct pinsight_rows make_rows(const void *view) {
    const struct pinsight_report *report = view;
    const struct pinsight_model *model = report->model;
    size_t most = model->process_count + 1;
    struct tree tree = {.report = report,
                        .all = pinsight_calloc(most, sizeof(*tree.all)),
                        .parents = pinsight_calloc(most, sizeof(*tree.parents)),
                        .done = pinsight_calloc(most, sizeof(*tree.done)),
                        .rows = pinsight_calloc(most, sizeof(*tree.rows))};

    for (size_t i = 0; i < model->process_count; i++)
        if (is_shown(model->processes[i]))
            tree.all[tree.count++] = model->processes[i];
    qsort(tree.all, tree.count, sizeof(*tree.all), by_begin);
    for (size_t i = 0; i < tree.count; i++)
        tree.parents[i] = parent_of(tree.all[i]);
    add_children(&tree, NULL, 0);
    for (size_t i = 0; i < tree.count; i++) /* of a circle */
        if (!tree.done[i])
            tree.rows[tree.row_count++] =
                (struct process_row){.process = tree.all[i],
                                     .start = python_call_place(report, tree.all[i]->start_path)};
    PINSIGHT_FREE(tree.all, tree.parents, tree.done);
    return PINSIGHT_MADE_ROWS(tree.rows, tree.row_count);
}

static const struct pinsight_table processes = {
    PINSIGHT_LIST("processes", columns),
    .make = make_rows,
    .screen =
        "tree_name pid parent end events resident_most_bytes time started_in started_at command",
    .json =
        "pid name own_name title ppid rank hostname program command exit_status start_function "
        "start_file start_line start_through events resident_most_bytes begin_ns end_ns domains",
};

void pinsight_section_processes(const struct pinsight_report *report, FILE *out, size_t limit) {
    size_t count = 0;

    for (size_t i = 0; i < report->model->process_count; i++)
        count += is_shown(report->model->processes[i]);
    if (count < 2)
        return;
    pinsight_head_section(
        report, out, "Processes",
        pinsight_rows_shown(count, limit) < count ? "the first; --limit 0 shows all" : NULL);
    pinsight_report_table(report, out, &processes, pinsight_table_rows(&processes, report), limit);
}

void pinsight_processes_json(const struct pinsight_report *report, struct pinsight_json *json) {
    pinsight_report_list(report, json, &processes, 0);
}

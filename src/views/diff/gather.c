/* Turns the rows of a report into items of one side. A comparison keeps nothing else of a trace. */
#include "base/memory.h"
#include "reader/data/histogram.h"
#include "reader/kit/paths.h"
#include "views/diff/state.h"
#include "views/mpi/mpi.h"
#include "views/openmp/openmp.h"

#include <stdlib.h>
#include <string.h>

/* With fewer calls, the fastest quarter has too few of them. */
#define LEAST_CALLS 100

/* The run that is being added. */
struct gather {
    struct pinsight_diff *diff;
    const struct pinsight_report *report;
    unsigned side;
    uint32_t run; /* its index on the side */
    struct pinsight_diff_path *paths;
    size_t path_count, path_capacity;
    struct pinsight_map path_map; /* index in `paths`, by the string of a path */
};

static uint32_t intern(struct gather *gather, const char *text) {
    return pinsight_strings_add(&gather->diff->strings, text ? text : "", text ? strlen(text) : 0);
}

static void add_path(struct gather *gather, const char *path) {
    uint32_t string = intern(gather, path);

    if (pinsight_map_get(&gather->path_map, string, 0, 0) != PINSIGHT_MAP_NONE)
        return;
    pinsight_map_set(&gather->path_map, string, 0, 0, (uint32_t)gather->path_count);
    *PINSIGHT_ADD(gather->paths, gather->path_count, gather->path_capacity) =
        (struct pinsight_diff_path){.path = string, .module = PINSIGHT_DIFF_NONE};
}

/* Sets the module of a file. If the file is imported and runs as a program, too, the module is the
 * imported one. */
static void add_module(struct gather *gather, const char *path, const char *module) {
    uint32_t index = pinsight_map_get(&gather->path_map, intern(gather, path), 0, 0);
    struct pinsight_diff_path *of = &gather->paths[index];

    if (module && module[0] &&
        (of->module == PINSIGHT_DIFF_NONE || of->module == intern(gather, "__main__")))
        of->module = intern(gather, module);
}

static size_t count_shared(const void *data, size_t path, uint32_t file) {
    const struct gather *gather = data;
    const struct pinsight_report *report = gather->report;
    const char *text = pinsight_strings_text(&gather->diff->strings, gather->paths[path].path);
    size_t count = 0;

    for (size_t i = 0; i < report->function_count; i++) {
        const struct pinsight_function_row *row = &report->functions[i];

        if (strcmp(row->file, text) != 0 || strcmp(row->name, "<module>") == 0)
            continue;
        uint32_t name = pinsight_strings_add(&gather->diff->strings, row->name, strlen(row->name));
        count += pinsight_map_get(&gather->diff->owner_map, file, name, true) != PINSIGHT_MAP_NONE;
    }
    return count;
}

/* Returns the name of a library or program without its folder, which differs between machines. */
static const char *object_name(const char *path) {
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* Returns the function around a Python line of OpenMP, or NULL. */
static const struct pinsight_function *users_function(const struct gather *gather, uint32_t users) {
    const struct pinsight_model *model = gather->report->model;

    if (users == PINSIGHT_NONE || model->paths[users].function == PINSIGHT_NONE)
        return NULL;
    return &model->functions[model->paths[users].function];
}

static const char *omp_file(const struct gather *gather, const struct pinsight_omp_row *row) {
    const struct pinsight_function *function = users_function(gather, row->users);

    return row->users == PINSIGHT_NONE ? object_name(row->object)
           : function                  ? pinsight_report_string(gather->report, function->file)
                                       : "";
}

static const char *mpi_file(const struct pinsight_mpi_place *place) {
    return place->python ? place->file : object_name(place->file);
}

static void gather_files(struct gather *gather) {
    const struct pinsight_report *report = gather->report;

    for (size_t i = 0; i < report->function_count; i++)
        add_path(gather, report->functions[i].file);
    for (size_t i = 0; i < report->c_call_count; i++)
        add_path(gather, report->c_calls[i].caller_file);
    for (size_t i = 0; i < report->openmp->place_count; i++)
        add_path(gather, omp_file(gather, &report->openmp->places[i]));
    for (size_t i = 0; i < report->mpi->line_count; i++)
        add_path(gather, mpi_file(&report->mpi->places[report->mpi->lines[i].place]));
    for (size_t i = 0; i < report->mpi->caller_count; i++)
        add_path(gather, report->mpi->callers[i].file);
    add_path(gather, ""); /* of named regions */
    for (size_t i = 0; i < report->function_count; i++)
        add_module(gather, report->functions[i].file, report->functions[i].module);
    pinsight_diff_files_find(gather->diff, gather->side, gather->paths, gather->path_count,
                             count_shared, gather);
}

/* Returns the owner of a name in a file, and makes it if it is new. */
static uint32_t owner_of(struct gather *gather, const char *path, const char *name, bool python) {
    struct pinsight_diff *diff = gather->diff;
    uint32_t index = pinsight_map_get(&gather->path_map, intern(gather, path), 0, 0);
    uint32_t file = index == PINSIGHT_MAP_NONE ? PINSIGHT_DIFF_NONE : gather->paths[index].file;
    uint32_t string = intern(gather, name);
    uint32_t owner = pinsight_map_get(&diff->owner_map, file, string, python);

    if (owner != PINSIGHT_MAP_NONE)
        return owner;
    owner = (uint32_t)diff->owner_count;
    pinsight_map_set(&diff->owner_map, file, string, python, owner);
    *PINSIGHT_ADD(diff->owners, diff->owner_count, diff->owner_capacity) =
        (struct pinsight_diff_owner){.file = file, .name = string, .python = python};
    return owner;
}

static void keep_first_line(struct gather *gather, uint32_t owner, int32_t line) {
    int32_t *first = &gather->diff->owners[owner].first_line[gather->side];

    if (line > 0 && (!*first || line < *first))
        *first = line;
}

/* Returns the item of a row, and makes it if it is new. */
static struct pinsight_diff_item *item_of(struct gather *gather, enum pinsight_diff_kind kind,
                                          uint32_t owner, const char *name, int32_t line) {
    struct pinsight_diff *diff = gather->diff;
    unsigned side = gather->side;
    uint32_t string = intern(gather, name);
    uint32_t key = string * PINSIGHT_DIFF_KIND_COUNT + kind;
    uint32_t index = pinsight_map_get(&diff->item_map[side], owner, key, (uint32_t)line);

    if (index != PINSIGHT_MAP_NONE)
        return &diff->items[side][index];
    index = (uint32_t)diff->item_count[side];
    pinsight_map_set(&diff->item_map[side], owner, key, (uint32_t)line, index);
    *PINSIGHT_ADD(diff->items[side], diff->item_count[side],
                  diff->item_capacity[side]) = (struct pinsight_diff_item){
        .kind = kind, .owner = owner, .name = string, .line = line, .last_run = PINSIGHT_DIFF_NONE};
    return &diff->items[side][index];
}

/* Adds to the run's values of an item. The item has room for all runs so far. */
static void add(struct gather *gather, struct pinsight_diff_item *item, uint64_t calls,
                uint64_t total_ns, uint64_t self_ns, uint64_t wait_ns) {
    const uint64_t amounts[PINSIGHT_DIFF_METRIC_COUNT] = {calls, total_ns, self_ns, wait_ns};
    size_t most = gather->diff->run_capacity[gather->side];

    if (!item->values)
        item->values = pinsight_calloc(most * PINSIGHT_DIFF_METRIC_COUNT, sizeof(*item->values));
    for (size_t metric = 0; metric < PINSIGHT_DIFF_METRIC_COUNT; metric++)
        item->values[metric * most + gather->run] += amounts[metric];
    if (item->last_run != gather->run)
        item->seen++;
    item->last_run = gather->run;
}

/* Returns self time, except time in which the thread was ready without a processor. Other programs
 * cause that. */
static uint64_t own_ns(const struct pinsight_times *times) {
    return times->self_ns > times->ready_ns ? times->self_ns - times->ready_ns : 0;
}

/* Adds the times of single calls in the run. */
static void add_histogram(struct pinsight_diff_item *item,
                          const struct pinsight_histogram *histogram,
                          const struct pinsight_times *times) {
    pinsight_histogram_merge(&item->histogram, histogram);
    item->counted |= times->counted_calls > 0;
}

/* Derives the steady time, the middle time and the error of each item from its histogram, and frees
 * the histogram. */
static void keep_steady(struct gather *gather) {
    struct pinsight_diff *diff = gather->diff;
    size_t most = diff->run_capacity[gather->side];

    for (size_t i = 0; i < diff->item_count[gather->side]; i++) {
        struct pinsight_diff_item *item = &diff->items[gather->side][i];
        uint64_t count = pinsight_histogram_count(item->histogram);

        if (count >= LEAST_CALLS && !item->counted) {
            item->values[PINSIGHT_DIFF_STEADY * most + gather->run] =
                (uint64_t)(pinsight_histogram_mean(item->histogram, 0, 0.25) * (double)count);
            item->values[PINSIGHT_DIFF_MIDDLE * most + gather->run] =
                (uint64_t)(pinsight_histogram_mean(item->histogram, 0.25, 0.75) * (double)count);
            item->values[PINSIGHT_DIFF_ERROR * most + gather->run] =
                (uint64_t)(pinsight_histogram_error(item->histogram, 0.25) * (double)count);
        }
        pinsight_histogram_free(item->histogram);
        item->histogram = NULL;
        item->counted = false;
    }
}

static bool starts_with(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

/* Returns whether a C callable waits for others: a thread, a process, the other end of a
 * connection. */
static bool is_waiting(const char *name) {
    static const char *const names[] = {
        "time.sleep",  "select.select", "select.poll.poll", "select.epoll.poll",
        "posix.wait",  "posix.waitpid", "posix.waitid",     "posix.wait3",
        "posix.wait4", "signal.pause",  "signal.sigwait",   "_queue.SimpleQueue.get",
        NULL};
    static const char *const starts[] = {"_thread.lock.",
                                         "_thread.RLock.",
                                         "_thread._ThreadHandle.",
                                         "_multiprocessing.SemLock.",
                                         "_socket.socket.",
                                         "_ssl._SSLSocket.",
                                         "mpi4py.",
                                         NULL};

    for (size_t i = 0; names[i]; i++)
        if (!strcmp(name, names[i]))
            return true;
    for (size_t i = 0; starts[i]; i++)
        if (starts_with(name, starts[i]))
            return true;
    return false;
}

static void gather_functions(struct gather *gather) {
    const struct pinsight_report *report = gather->report;

    for (size_t i = 0; i < report->function_count; i++) {
        const struct pinsight_function_row *row = &report->functions[i];
        uint32_t owner = owner_of(gather, row->file, row->name, true);
        struct pinsight_diff_item *item =
            item_of(gather, PINSIGHT_DIFF_FUNCTION, owner, row->name, row->line);

        keep_first_line(gather, owner, row->line);
        add(gather, item, row->times.calls, row->times.total_ns, own_ns(&row->times), 0);
        add_histogram(item, row->histogram, &row->times);
    }
}

static void gather_c_calls(struct gather *gather) {
    const struct pinsight_report *report = gather->report;

    for (size_t i = 0; i < report->c_call_count; i++) {
        const struct pinsight_c_row *row = &report->c_calls[i];
        uint32_t owner = owner_of(gather, row->caller_file, row->caller, row->caller != NULL);
        struct pinsight_diff_item *item =
            item_of(gather, PINSIGHT_DIFF_C_CALL, owner, row->name, row->caller_line);

        item->waits = is_waiting(row->name);
        add(gather, item, row->times.calls, row->times.total_ns, own_ns(&row->times), 0);
        add_histogram(item, row->histogram, &row->times);
    }
}

static void gather_regions(struct gather *gather) {
    const struct pinsight_report *report = gather->report;

    for (size_t i = 0; i < report->openmp->place_count; i++) {
        const struct pinsight_omp_row *row = &report->openmp->places[i];
        const struct pinsight_function *function = users_function(gather, row->users);
        bool python = row->users != PINSIGHT_NONE;
        const char *name = function ? pinsight_report_string(report, function->name) : "";
        uint32_t owner = owner_of(gather, omp_file(gather, row), name, python);
        uint64_t ns = row->sums.total_ns + row->counted.total_ns;

        keep_first_line(gather, owner, function ? function->line : 0);
        add(gather,
            item_of(gather, PINSIGHT_DIFF_REGION, owner, row->name,
                    python ? report->model->paths[row->users].line : 0),
            row->sums.calls + row->counted.calls, ns, ns, 0);
    }
}

static void gather_mpi(struct gather *gather) {
    const struct pinsight_mpi_view *view = gather->report->mpi;

    for (size_t i = 0; i < view->caller_count; i++)
        if (view->callers[i].name)
            keep_first_line(gather,
                            owner_of(gather, view->callers[i].file, view->callers[i].name, true),
                            view->callers[i].line);
    for (size_t i = 0; i < view->line_count; i++) {
        const struct pinsight_mpi_row *row = &view->lines[i];
        const struct pinsight_mpi_place *place = &view->places[row->place];
        const struct pinsight_mpi_sums *sums = &row->sums;
        uint64_t wait_ns = sums->wait_ns < sums->total_ns ? sums->wait_ns : sums->total_ns;

        if (!sums->calls)
            continue;
        add(gather,
            item_of(gather, PINSIGHT_DIFF_MPI,
                    owner_of(gather, mpi_file(place), place->name, place->python), row->name,
                    place->line),
            sums->calls, sums->total_ns, sums->total_ns - wait_ns, wait_ns);
    }
}

/* A region that the program names has no line: one name may have several. */
static void gather_marked(struct gather *gather) {
    const struct pinsight_marked_sums *sums = &gather->report->model->marked;

    for (size_t i = 0; i < sums->count; i++) {
        const struct pinsight_marked *row = &sums->rows[i];

        if (row->kind == PINSIGHT_MARKED_REGION && row->recorded + row->counted)
            add(gather,
                item_of(gather, PINSIGHT_DIFF_MARKED, owner_of(gather, "", "", false),
                        pinsight_report_string(gather->report, row->name), 0),
                row->recorded + row->counted, row->total_ns, row->total_ns, 0);
    }
}

static bool has_marked(const struct pinsight_report *report) {
    for (size_t i = 0; i < report->model->marked.count; i++)
        if (report->model->marked.rows[i].kind == PINSIGHT_MARKED_REGION)
            return true;
    return false;
}

/* Returns the versions of Python, such as "3.12.1" or "3.11.7, 3.12.1". The caller frees the
 * text. */
static char *pythons_of(const struct pinsight_report *report) {
    const struct pinsight_model *model = report->model;
    char *all = pinsight_strdup("");

    for (size_t i = 0; i < model->process_count; i++) {
        const char *version = pinsight_report_string(report, model->processes[i]->version);

        if (!pinsight_process_is_there(model->processes[i]) || !version[0] || strstr(all, version))
            continue;
        pinsight_append(&all, "%s%s", all[0] ? ", " : "", version);
    }
    return all;
}

static struct pinsight_diff_run about(const struct pinsight_report *report) {
    const struct pinsight_not_recorded *missing = &report->not_recorded;
    const struct pinsight_model *model = report->model;
    struct pinsight_diff_run run = {
        .path = pinsight_strdup(report->options.trace),
        .python = pythons_of(report),
        .duration_ns = pinsight_time_rest(model->last_ns, model->first_ns),
        .recorded_ns = report->python_ns + report->c_ns,
        .discarded_events = missing->discarded_events,
        .ranks = report->mpi->rank_count,
        .only_counted = report->only_counted,
        .mixed = report->mixed,
        .damaged = report->source.warning_count > 0,
        .windows = missing->outside_windows > 0,
        .incomplete = missing->daemon_died || missing->incomplete || missing->unended ||
                      missing->size_limit_processes || missing->missing_events,
        .has = {[PINSIGHT_DIFF_FUNCTION] = report->function_count > 0,
                [PINSIGHT_DIFF_C_CALL] = report->c_call_count > 0,
                [PINSIGHT_DIFF_REGION] =
                    report->openmp->place_count > 0 || pinsight_report_has_domain(report, "OpenMP"),
                [PINSIGHT_DIFF_MPI] =
                    report->mpi->line_count > 0 || pinsight_report_has_domain(report, "MPI"),
                [PINSIGHT_DIFF_MARKED] = has_marked(report)},
    };

    for (size_t i = 0; i < model->process_count; i++)
        run.processes += pinsight_process_is_there(model->processes[i]);
    return run;
}

/* Makes room for one more run, in the items, too. */
static void grow(struct pinsight_diff *diff, unsigned side) {
    size_t before = diff->run_capacity[side], now;

    diff->runs[side] = pinsight_grow(diff->runs[side], diff->run_count[side],
                                     &diff->run_capacity[side], sizeof(*diff->runs[side]));
    now = diff->run_capacity[side];
    for (size_t i = 0; now != before && i < diff->item_count[side]; i++) {
        struct pinsight_diff_item *item = &diff->items[side][i];
        uint64_t *values;

        if (!item->values)
            continue;
        values = pinsight_calloc(now * PINSIGHT_DIFF_METRIC_COUNT, sizeof(*values));
        for (size_t metric = 0; metric < PINSIGHT_DIFF_METRIC_COUNT; metric++)
            memcpy(values + metric * now, item->values + metric * before, before * sizeof(*values));
        free(item->values);
        item->values = values;
    }
}

void pinsight_diff_add(struct pinsight_diff *diff, unsigned side,
                       const struct pinsight_report *report) {
    struct gather gather = {
        .diff = diff, .report = report, .side = side, .run = (uint32_t)diff->run_count[side]};

    grow(diff, side);
    diff->runs[side][diff->run_count[side]++] = about(report);
    gather_files(&gather);
    gather_functions(&gather);
    gather_c_calls(&gather);
    gather_regions(&gather);
    gather_mpi(&gather);
    gather_marked(&gather);
    keep_steady(&gather);
    diff->added++;
    free(gather.paths);
    pinsight_map_clear(&gather.path_map);
}

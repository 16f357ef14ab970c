/* From the model to rows. Regions and functions of one name and place are one row, in whatever
 * process they were. */
#include "views/openmp.h"

#include "reader/mem.h"
#include "reader/native.h"
#include "reader/native_lines.h"
#include "reader/paths.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(const struct pinsight_report *report, uint32_t string) {
    return pinsight_strings_text(&report->model->strings, string);
}

const char *pinsight_omp_wait_word(enum pinsight_omp_wait wait) {
    static const char *const words[] = {
        "implicit_barrier", "explicit_barrier", "taskwait", "taskgroup", "lock",
        "critical",         "atomic",           "ordered"};

    return wait < sizeof(words) / sizeof(words[0]) ? words[wait] : "?";
}

const char *pinsight_omp_kind_word(uint8_t kind) {
    static const char *const words[] = {"parallel", "teams", "target"};

    return kind < sizeof(words) / sizeof(words[0]) ? words[kind] : "?";
}

const char *pinsight_omp_thread_word(uint8_t type) {
    static const char *const words[] = {NULL, "initial", "worker", "other", "unknown"};

    return type < sizeof(words) / sizeof(words[0]) ? words[type] : NULL;
}

double pinsight_omp_imbalance(const struct pinsight_omp_region *sums) {
    return sums->joined && sums->mean_ns ? (double)sums->longest_ns / (double)sums->mean_ns : 0;
}

bool pinsight_omp_seen(const struct pinsight_report *report) {
    const struct pinsight_model *model = report->model;

    if (!model->openmp)
        return false;
    if (model->openmp->region_count)
        return true;
    for (size_t i = 0; i < report->thread_count; i++)
        if (report->threads[i].thread->openmp)
            return true;
    return false;
}

const char *pinsight_omp_none(const struct pinsight_report *report) {
    const struct pinsight_model *model = report->model;

    for (size_t i = 0; i < model->process_count; i++)
        for (size_t d = 0; d < model->processes[i]->domain_count; d++)
            if (!strcmp(text_of(report, model->processes[i]->domains[d].name), "OpenMP"))
                return "OpenMP was there, and no parallel region was recorded: the program "
                       "started none, or its mode or a window left all of them out.";
    return "No OpenMP was recorded: it was not asked for (--domains python,openmp), or the program "
           "used no runtime that PInsight sees (LLVM's libomp; GCC's libgomp only with libomp "
           "preloaded); a BLAS on pthreads is none.";
}

/* The number of a key of three, given in order of appearance. */
static uint32_t number_of(struct pinsight_map *map, uint32_t a, uint32_t b, uint32_t c,
                          uint32_t *count) {
    uint32_t number = pinsight_map_get(map, a, b, c);

    if (number == PINSIGHT_MAP_NONE) {
        number = (*count)++;
        pinsight_map_set(map, a, b, c, number);
    }
    return number;
}

/* What tells rows apart: functions, paths and places by what they are, not by process. */
struct keys {
    const struct pinsight_model *model;
    struct pinsight_map functions, paths, natives;
    uint32_t function_count, path_count, native_count;
};

static void clear_keys(struct keys *keys) {
    pinsight_map_clear(&keys->functions);
    pinsight_map_clear(&keys->paths);
    pinsight_map_clear(&keys->natives);
}

static uint32_t function_key(struct keys *keys, uint32_t function) {
    const struct pinsight_function *entry;

    if (function == PINSIGHT_NONE)
        return PINSIGHT_NONE;
    entry = &keys->model->functions[function];
    return number_of(&keys->functions, entry->name, entry->file, (uint32_t)entry->line,
                     &keys->function_count);
}

static uint32_t path_key(struct keys *keys, uint32_t path) {
    size_t count;
    uint32_t *frames = pinsight_path_frames(keys->model, path, &count);
    uint32_t key = PINSIGHT_NONE;

    for (size_t i = 0; i < count; i++) {
        const struct pinsight_path *frame = &keys->model->paths[frames[i]];

        key = number_of(&keys->paths, key, function_key(keys, frame->function),
                        (uint32_t)frame->line, &keys->path_count);
    }
    free(frames);
    return key;
}

static uint32_t native_key(struct keys *keys, uint32_t native) {
    const struct pinsight_native *entry;

    if (native == PINSIGHT_NONE)
        return PINSIGHT_NONE;
    entry = &keys->model->natives[native];
    if (!entry->known || !entry->object)
        return number_of(&keys->natives, PINSIGHT_NONE, native, 0, &keys->native_count);
    return number_of(&keys->natives, entry->object, (uint32_t)entry->offset,
                     (uint32_t)(entry->offset >> 32), &keys->native_count);
}

static void add_sums(struct pinsight_omp_region *to, const struct pinsight_omp_region *from) {
    if (from->calls && (!to->calls || from->min_ns < to->min_ns))
        to->min_ns = from->min_ns;
    if (from->max_ns > to->max_ns)
        to->max_ns = from->max_ns;
    if (from->threads > to->threads)
        to->threads = from->threads;
    to->calls += from->calls;
    to->total_ns += from->total_ns;
    to->nested += from->nested;
    to->tasks += from->tasks;
    to->measured += from->measured;
    to->joined += from->joined;
    to->work_ns += from->work_ns;
    to->imbalance_ns += from->imbalance_ns;
    to->longest_ns += from->longest_ns;
    to->mean_ns += from->mean_ns;
    to->fork_ns += from->fork_ns;
    to->join_ns += from->join_ns;
    for (size_t i = 0; i < PINSIGHT_WAIT_COUNT; i++)
        to->wait_ns[i] += from->wait_ns[i];
    if (from->thread_work_count > to->thread_work_count) {
        to->thread_work_ns = pinsight_realloc(to->thread_work_ns, from->thread_work_count,
                                              sizeof(*to->thread_work_ns));
        memset(to->thread_work_ns + to->thread_work_count, 0,
               (from->thread_work_count - to->thread_work_count) * sizeof(*to->thread_work_ns));
        to->thread_work_count = from->thread_work_count;
    }
    for (uint32_t i = 0; i < from->thread_work_count; i++)
        to->thread_work_ns[i] += from->thread_work_ns[i];
    to->caller.calls += from->caller.calls;
    to->caller.total_ns += from->caller.total_ns;
    to->caller.work_ns += from->caller.work_ns;
    to->caller.imbalance_ns += from->caller.imbalance_ns;
    to->caller.waiting_ns += from->caller.waiting_ns;
    to->caller.runtime_ns += from->caller.runtime_ns;
    to->counted.calls += from->counted.calls;
    to->counted.total_ns += from->counted.total_ns;
    to->counted.self_ns += from->counted.self_ns;
}

/* The last part of a path. */
static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');

    return slash && slash[1] ? slash + 1 : path;
}

static void name_row(const struct pinsight_report *report, struct pinsight_native_lines *lines,
                     struct pinsight_omp_row *row, uint32_t native) {
    const struct pinsight_native *entry;
    const char *symbol;

    row->object = row->symbol = "";
    if (native == PINSIGHT_NONE) {
        row->name = pinsight_strdup("(not known)");
        return;
    }
    entry = &report->model->natives[native];
    row->object = text_of(report, entry->object);
    row->symbol = text_of(report, entry->symbol);
    row->offset = entry->offset;
    if (entry->known && row->object[0]) {
        symbol = pinsight_native_line(lines, row->object, entry->offset, row->symbol, &row->source,
                                      &row->source_line);
        if (symbol)
            row->symbol = symbol;
    }
    if (row->symbol[0])
        row->name = pinsight_strdup(row->symbol);
    else if (row->object[0])
        row->name = pinsight_format("%s+0x%" PRIx64, last_part(row->object), row->offset);
    else
        row->name = pinsight_format("0x%" PRIx64, entry->address);
}

static struct pinsight_omp_row *make_rows(const struct pinsight_report *report,
                                          struct pinsight_omp_view *view, struct keys *keys,
                                          bool by_path, size_t *count) {
    const struct pinsight_model *model = report->model;
    const struct pinsight_openmp *openmp = model->openmp;
    struct pinsight_omp_row *rows = pinsight_calloc(openmp->region_count + 1, sizeof(*rows));
    struct pinsight_map map = {0};

    for (size_t i = 0; i < openmp->region_count; i++) {
        const struct pinsight_omp_region *region = &openmp->regions[i];
        uint32_t users = pinsight_path_users_line(model, region->path);
        uint32_t native = native_key(keys, region->native), key, row;

        if (!region->calls && !region->counted.calls)
            continue;
        /* A frame alone is a path, too: without the callers that may differ. */
        key = by_path ? path_key(keys, region->path)
              : users == PINSIGHT_NONE
                  ? PINSIGHT_NONE
                  : number_of(&keys->paths, PINSIGHT_NONE - 1,
                              function_key(keys, model->paths[users].function),
                              (uint32_t)model->paths[users].line, &keys->path_count);
        row = pinsight_map_get(&map, native, key, region->kind);
        if (row == PINSIGHT_MAP_NONE) {
            row = (uint32_t)(*count)++;
            pinsight_map_set(&map, native, key, region->kind, row);
            rows[row].path = region->path;
            rows[row].users = users;
            rows[row].sums.kind = region->kind;
            name_row(report, view->lines, &rows[row], region->native);
        }
        add_sums(&rows[row].sums, region);
    }
    pinsight_map_clear(&map);
    return rows;
}

/* The row of a function, made if it is new. */
static struct pinsight_omp_function *function_row(struct pinsight_omp_view *view, struct keys *keys,
                                                  struct pinsight_map *map, uint32_t function) {
    const struct pinsight_model *model = keys->model;
    uint32_t row = pinsight_map_get(map, function_key(keys, function), 0, 0);
    struct pinsight_omp_function *entry;

    if (row != PINSIGHT_MAP_NONE)
        return &view->functions[row];
    row = (uint32_t)view->function_count++;
    pinsight_map_set(map, function_key(keys, function), 0, 0, row);
    entry = &view->functions[row];
    if (function == PINSIGHT_NONE)
        return entry;
    entry->name = model->functions[function].known
                      ? pinsight_strings_text(&model->strings, model->functions[function].name)
                      : "(name not recorded)";
    entry->file = pinsight_strings_text(&model->strings, model->functions[function].file);
    entry->line = model->functions[function].line;
    return entry;
}

static void add_caller(struct pinsight_omp_caller *to, const struct pinsight_omp_caller *from) {
    to->calls += from->calls;
    to->total_ns += from->total_ns;
    to->work_ns += from->work_ns;
    to->imbalance_ns += from->imbalance_ns;
    to->waiting_ns += from->waiting_ns;
    to->runtime_ns += from->runtime_ns;
}

static void make_functions(const struct pinsight_report *report, struct pinsight_omp_view *view,
                           struct keys *keys) {
    const struct pinsight_model *model = report->model;
    const struct pinsight_openmp *openmp = model->openmp;
    struct pinsight_map map = {0};

    view->functions =
        pinsight_calloc(model->function_count + openmp->region_count + 1, sizeof(*view->functions));
    for (size_t i = 0; i < model->function_count; i++) {
        const struct pinsight_stats *stats = &model->functions[i].stats;

        if (stats->slices)
            function_row(view, keys, &map, (uint32_t)i)->python_ns +=
                stats->self_ns - stats->openmp_ns;
    }
    for (size_t i = 0; i < model->site_count; i++) {
        const struct pinsight_stats *stats = &model->sites[i].stats;

        if (stats->slices)
            function_row(view, keys, &map, model->sites[i].caller)->c_ns +=
                stats->self_ns - stats->openmp_ns;
    }
    for (size_t i = 0; i < openmp->region_count; i++) {
        const struct pinsight_omp_region *region = &openmp->regions[i];
        uint32_t users = pinsight_path_users_line(model, region->path);

        if (!region->caller.calls)
            continue;
        add_caller(
            &function_row(view, keys, &map,
                          users == PINSIGHT_NONE ? PINSIGHT_NONE : model->paths[users].function)
                 ->regions,
            &region->caller);
        view->regions_ns += region->caller.total_ns;
    }
    for (size_t i = 0; i < view->function_count; i++)
        view->recorded_ns += view->functions[i].python_ns + view->functions[i].c_ns +
                             view->functions[i].regions.total_ns;
    pinsight_map_clear(&map);
}

/* The time of a thread that ran Python or started regions; that of the main one is the process's.
 */
static uint64_t wall_of(const struct pinsight_thread *thread) {
    const struct pinsight_process *process = thread->process;
    const struct pinsight_omp_thread *openmp = thread->openmp;
    uint64_t begin = UINT64_MAX, end = 0;

    if (thread->last_ns) {
        begin = thread->first_ns;
        end = thread->last_ns;
    }
    if (openmp && openmp->events) {
        begin = openmp->first_ns < begin ? openmp->first_ns : begin;
        end = openmp->last_ns > end ? openmp->last_ns : end;
    }
    if (thread->number == 0 || thread->tid == process->pid) {
        if (process->announced_ns && process->announced_ns < begin)
            begin = process->announced_ns;
        end = process->last_ns > end ? process->last_ns : end;
    }
    return end > begin ? end - begin : 0;
}

static void make_wall(const struct pinsight_report *report, struct pinsight_omp_view *view) {
    for (size_t i = 0; i < report->thread_count; i++) {
        const struct pinsight_thread *thread = report->threads[i].thread;

        if (!thread->last_ns && !(thread->openmp && thread->openmp->outside_ns))
            continue;
        view->callers++;
        view->wall_ns += wall_of(thread);
    }
    if (view->wall_ns > view->recorded_ns)
        view->elsewhere_ns = view->wall_ns - view->recorded_ns;
}

static int by_total(const void *left, const void *right) {
    const struct pinsight_omp_row *a = left, *b = right;
    uint64_t a_ns = a->sums.total_ns + a->sums.counted.total_ns;
    uint64_t b_ns = b->sums.total_ns + b->sums.counted.total_ns;
    int order = a_ns == b_ns ? strcmp(a->name, b->name) : a_ns < b_ns ? 1 : -1;

    if (order)
        return order;
    return (a->path > b->path) - (a->path < b->path);
}

static uint64_t all_of(const struct pinsight_omp_function *row) {
    return row->python_ns + row->c_ns + row->regions.total_ns;
}

static int by_all(const void *left, const void *right) {
    const struct pinsight_omp_function *a = left, *b = right;
    uint64_t a_ns = all_of(a), b_ns = all_of(b);

    if (a_ns != b_ns)
        return a_ns < b_ns ? 1 : -1;
    return strcmp(a->name ? a->name : "", b->name ? b->name : "");
}

struct pinsight_omp_view *pinsight_omp_view_make(const struct pinsight_report *report) {
    struct pinsight_omp_view *view = pinsight_calloc(1, sizeof(*view));
    struct keys keys = {.model = report->model};

    if (!report->model->openmp)
        return view;
    view->lines = pinsight_native_lines_new(report->model->last_ns);
    view->regions = make_rows(report, view, &keys, true, &view->region_count);
    view->places = make_rows(report, view, &keys, false, &view->place_count);
    make_functions(report, view, &keys);
    make_wall(report, view);
    qsort(view->regions, view->region_count, sizeof(*view->regions), by_total);
    qsort(view->places, view->place_count, sizeof(*view->places), by_total);
    qsort(view->functions, view->function_count, sizeof(*view->functions), by_all);
    clear_keys(&keys);
    return view;
}

static void free_rows(struct pinsight_omp_row *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        free(rows[i].name);
        free(rows[i].sums.thread_work_ns);
    }
    free(rows);
}

void pinsight_omp_view_free(struct pinsight_omp_view *view) {
    if (!view)
        return;
    free_rows(view->regions, view->region_count);
    free_rows(view->places, view->place_count);
    free(view->functions);
    pinsight_native_lines_free(view->lines);
    free(view);
}

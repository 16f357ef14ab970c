/* Makes rows from sums by function and call path. Functions with one name and place share a row,
 * from all processes. */
#include "views/attribution_walk.h"

#include "base/memory.h"
#include "base/order.h"
#include "reader/kit/paths.h"
#include "views/domain.h"
#include "views/report/attribution_maker.h"

#include <stdlib.h>
#include <string.h>

const char *pinsight_attribution_word(unsigned domain) {
    return reader_domains[domain]->table;
}

const char *pinsight_attribution_name(unsigned domain) {
    return reader_domains[domain]->name;
}

bool pinsight_attribution_any(const struct pinsight_attribution_work *work) {
    return work->calls || work->thread_ns;
}

struct pinsight_attribution_work
pinsight_attribution_wall(const struct pinsight_attribution_work *work) {
    struct pinsight_attribution_work wall = {0};

    for (size_t d = 0; d < PINSIGHT_ATTRIBUTION_DOMAINS; d++) {
        wall.wall_ns += work[d].wall_ns;
        wall.wall_waiting_ns += work[d].wall_waiting_ns;
        wall.wall_away_ns += work[d].wall_away_ns;
        wall.wall_ready_ns += work[d].wall_ready_ns;
    }
    return wall;
}

static uint64_t wall_of(const struct pinsight_attribution_work *work) {
    return pinsight_attribution_wall(work).wall_ns;
}

/* Returns the wall time without its waiting, and without time ready without a processor. */
static uint64_t working_of(const struct pinsight_attribution_work *work) {
    struct pinsight_attribution_work wall = pinsight_attribution_wall(work);

    return pinsight_time_rest(wall.wall_ns,
                              wall.wall_waiting_ns + wall.wall_away_ns + wall.wall_ready_ns);
}

uint64_t pinsight_attribution_function_ns(const struct pinsight_attribution_function *function) {
    return function->python_ns + function->c_ns + function->gc_ns + wall_of(function->work);
}

/* Waiting does not count, so that a function that only waits stands behind one that works. */
uint64_t pinsight_attribution_running_ns(const struct pinsight_attribution_function *function) {
    return pinsight_time_rest(function->python_ns + function->c_ns + function->gc_ns,
                              pinsight_attribution_away_ns(&function->away) +
                                  function->gc_ready_ns) +
           working_of(function->work);
}

uint64_t
pinsight_attribution_function_waiting_ns(const struct pinsight_attribution_function *function) {
    struct pinsight_attribution_work wall = pinsight_attribution_wall(function->work);

    return pinsight_attribution_waiting_ns(&function->away) + wall.wall_waiting_ns +
           wall.wall_away_ns;
}

uint64_t pinsight_attribution_thread_running_ns(const struct pinsight_attribution_thread *thread) {
    uint64_t ns =
        pinsight_time_rest(thread->python_ns + thread->c_ns + thread->gc_ns,
                           pinsight_attribution_away_ns(&thread->away) + thread->gc_ready_ns);

    for (size_t d = 0; d < PINSIGHT_ATTRIBUTION_DOMAINS; d++)
        ns += thread->under_ns[d] + thread->alone_ns[d];
    return pinsight_time_rest(ns, thread->native_away_ns + thread->native_ready_ns);
}

/* The user's functions represent a program from this share of all time on, with their callees. */
#define LEAST_USERS_SHARE 0.01

/* Returns whether a function is the start of a package's command, such as "…/bin/mypy", which
 * installers write. */
static bool is_launcher(const struct pinsight_attribution_function *function) {
    const char *name = strrchr(function->file, '/'), *folder = name;

    while (folder && folder > function->file && folder[-1] != '/')
        folder--;
    return folder && !strcmp(function->name, "<module>") && !strncmp(folder, "bin/", 4);
}

bool pinsight_attribution_has_users(const struct pinsight_attribution_view *view) {
    uint64_t all = 0, users = 0;
    bool has_any = false;

    for (size_t i = 0; i < view->function_count; i++) {
        const struct pinsight_attribution_function *function = &view->functions[i];
        bool is_own = function->users && !is_launcher(function);

        has_any |= is_own;
        all += pinsight_attribution_function_ns(function);
        users += is_own ? pinsight_attribution_function_ns(function) : 0;
    }
    return has_any && (double)users >= LEAST_USERS_SHARE * (double)all;
}

void pinsight_attribution_work_add(struct pinsight_attribution_work *to,
                                   const struct pinsight_attribution_work *from) {
    to->calls += from->calls;
    to->wall_ns += from->wall_ns;
    to->wall_waiting_ns += from->wall_waiting_ns;
    to->wall_away_ns += from->wall_away_ns;
    to->wall_ready_ns += from->wall_ready_ns;
    to->thread_ns += from->thread_ns;
    to->waiting_ns += from->waiting_ns;
    to->sent_bytes += from->sent_bytes;
    to->received_bytes += from->received_bytes;
}

uint32_t pinsight_attribution_row(struct pinsight_attribution_maker *maker, uint32_t function) {
    const struct pinsight_model *model = maker->report->model;
    struct pinsight_attribution_view *view = maker->view;
    uint32_t key = pinsight_omp_function_key(&maker->keys, function);
    uint32_t row = pinsight_map_get(&maker->functions, key, 0, 0);
    struct pinsight_attribution_function *entry;

    if (row != PINSIGHT_MAP_NONE)
        return row;
    view->functions = pinsight_grow(view->functions, view->function_count,
                                    &maker->function_capacity, sizeof(*view->functions));
    row = (uint32_t)view->function_count++;
    pinsight_map_set(&maker->functions, key, 0, 0, row);
    entry = &view->functions[row];
    *entry = (struct pinsight_attribution_function){.file = ""};
    if (function == PINSIGHT_NONE)
        return row;
    entry->name = pinsight_function_name(model, function);
    entry->file = pinsight_report_string(maker->report, model->functions[function].file);
    entry->line = model->functions[function].line;
    entry->users = pinsight_function_is_users(model, function);
    return row;
}

/* Returns the row of a function, which is valid until the next row is made. */
static struct pinsight_attribution_function *function_at(struct pinsight_attribution_maker *maker,
                                                         uint32_t function) {
    uint32_t row = pinsight_attribution_row(maker, function);

    return &maker->view->functions[row];
}

/* Returns the user's frame of a path if its function is known, else NULL. */
static const struct pinsight_path *users_of(const struct pinsight_attribution_maker *maker,
                                            uint32_t path) {
    const struct pinsight_model *model = maker->report->model;
    uint32_t users = path == PINSIGHT_NONE ? PINSIGHT_NONE : pinsight_path_users_line(model, path);

    return users == PINSIGHT_NONE || model->paths[users].function == PINSIGHT_NONE
               ? NULL
               : &model->paths[users];
}

/* Returns the number of a line of a forward pass, from 1; 0 for none. */
static uint32_t forward_number(struct pinsight_attribution_maker *maker,
                               const struct pinsight_path *forward) {
    uint32_t number;

    if (!forward)
        return 0;
    number = pinsight_map_number(&maker->forwards,
                                 pinsight_omp_function_key(&maker->keys, forward->function),
                                 (uint32_t)forward->line, 0, maker->forward_count);
    maker->forward_count += number == maker->forward_count;
    return number + 1;
}

struct pinsight_attribution_line *
pinsight_attribution_line_row(struct pinsight_attribution_maker *maker, uint32_t function,
                              int32_t line, const struct pinsight_path *forward) {
    const struct pinsight_model *model = maker->report->model;
    struct pinsight_attribution_view *view = maker->view;
    uint32_t of = pinsight_attribution_row(maker, function);
    uint32_t row = pinsight_map_number(&maker->lines, of, (uint32_t)line,
                                       forward_number(maker, forward), view->line_count);

    if (row < view->line_count)
        return &view->lines[row];
    *PINSIGHT_ADD(view->lines, view->line_count, maker->line_capacity) =
        (struct pinsight_attribution_line){.function = of, .line = line};
    if (forward) {
        view->lines[row].forward_name = pinsight_function_name(model, forward->function);
        view->lines[row].forward_file =
            pinsight_report_string(maker->report, model->functions[forward->function].file);
        view->lines[row].forward_line = forward->line;
    }
    return &view->lines[row];
}

void pinsight_attribution_add(struct pinsight_attribution_maker *maker, uint32_t path,
                              uint32_t forward, unsigned domain,
                              const struct pinsight_attribution_work *work) {
    const struct pinsight_path *users = users_of(maker, path);

    pinsight_attribution_work_add(&maker->view->all[domain], work);
    if (path == PINSIGHT_NONE) {
        pinsight_attribution_work_add(&maker->view->alone[domain], work);
        return;
    }
    if (!users) {
        pinsight_attribution_work_add(&function_at(maker, PINSIGHT_NONE)->work[domain], work);
        return;
    }
    pinsight_attribution_work_add(&pinsight_attribution_line_row(maker, users->function,
                                                                 users->line,
                                                                 users_of(maker, forward))
                                       ->work[domain],
                                  work);
    pinsight_attribution_work_add(&function_at(maker, users->function)->work[domain], work);
}

void pinsight_attribution_count(struct pinsight_attribution_maker *maker, unsigned domain,
                                const struct pinsight_monitored *counted) {
    maker->view->counted[domain].calls += counted->calls;
    maker->view->counted[domain].total_ns += counted->total_ns;
}

void pinsight_attribution_wait(struct pinsight_attribution_maker *maker, uint32_t path,
                               uint64_t ns) {
    const struct pinsight_path *users = users_of(maker, path);
    struct pinsight_attribution_function *row;

    if (!users || users != &maker->report->model->paths[path])
        return;
    row = function_at(maker, users->function);
    if (ns <= row->wait_ns)
        return;
    row->wait_ns = ns;
    row->wait_line = users->line;
}

/* An idle thread runs at most 1 / IDLE_PART of its time. */
#define IDLE_PART 50

/* Returns whether a thread ran no function of the user's, and hardly anything else. */
static bool is_idle(const struct pinsight_attribution_thread *thread) {
    const struct pinsight_attribution_away *away = &thread->away;
    uint64_t busy =
        pinsight_time_rest(thread->python_ns + thread->c_ns, pinsight_attribution_away_ns(away));

    for (size_t d = 0; d < PINSIGHT_ATTRIBUTION_DOMAINS; d++)
        busy += thread->under_ns[d] + thread->alone_ns[d] + thread->team_ns[d];
    return (thread->python_ns || thread->c_ns) && !thread->users && thread->thread->number != 0 &&
           busy <= thread->wall_ns / IDLE_PART;
}

static void add_idle(struct pinsight_attribution_idle *to,
                     const struct pinsight_attribution_thread *thread) {
    to->threads++;
    to->wall_ns += thread->wall_ns;
    to->python_ns += thread->python_ns;
    to->c_ns += thread->c_ns;
    pinsight_attribution_away_add(&to->away, &thread->away);
}

static void add_threads(struct pinsight_attribution_view *view,
                        const struct pinsight_attribution_walk *walk) {
    struct pinsight_attribution_thread thread;

    view->threads = pinsight_calloc(walk->track_count + 1, sizeof(*view->threads));
    for (size_t i = 0; pinsight_attribution_walk_thread(walk, i, &thread); i++) {
        thread.idle = thread.wall_ns && is_idle(&thread);
        view->threads[view->thread_count++] = thread;
        view->callers += thread.wall_ns > 0;
        view->wall_ns += thread.wall_ns;
        view->python_ns += thread.python_ns;
        view->c_ns += thread.c_ns;
        view->gc_ns += thread.gc_ns;
        view->gc_ready_ns += thread.gc_ready_ns;
        pinsight_attribution_away_add(&view->away, &thread.away);
        if (thread.idle)
            add_idle(&view->idle, &thread);
        if (!thread.python)
            view->native_ns += thread.gap_ns;
        else if (!thread.python_ns && !thread.c_ns)
            view->unseen_ns += thread.gap_ns;
    }
    view->recorded_ns = view->python_ns + view->c_ns + view->gc_ns + wall_of(view->all);
    if (view->wall_ns > view->recorded_ns)
        view->elsewhere_ns = view->wall_ns - view->recorded_ns;
}

/* Shares of the time of a thread that rests, and of one that works. The time leaves out imports,
 * and time ready without a processor. */
#define RESTING_PART 0.9
#define RESTING_MOST_RUN 0.02
#define WORKING_PART 0.5
/* Least shares: of the resting thread's time in which a working thread exists, and of the run in
 * which the resting thread exists. One of many threads that each serve a request is not there to
 * wait. */
#define WORKING_WHILE 0.5
#define RESTING_WHILE 0.5

static bool is_resting(const struct pinsight_attribution_thread *thread) {
    const double wall = (double)pinsight_time_rest(thread->wall_ns,
                                                   thread->away.ready_ns + thread->native_ready_ns);
    const uint64_t waiting = pinsight_attribution_waiting_ns(&thread->away) +
                             pinsight_time_rest(thread->native_away_ns, thread->native_ready_ns);

    return thread->users && thread->wall_ns && (double)waiting >= RESTING_PART * wall &&
           (double)pinsight_attribution_thread_running_ns(thread) <= RESTING_MOST_RUN * wall;
}

/* Returns the longest time of a thread that works, without imports. */
static uint64_t longest_work(const struct pinsight_attribution_view *view) {
    uint64_t longest = 0;

    for (size_t i = 0; i < view->thread_count; i++) {
        const struct pinsight_attribution_thread *thread = &view->threads[i];
        const uint64_t imports =
            thread->thread->number == 0 ? view->imports_ns[thread->thread->process->index] : 0;
        const uint64_t wall = pinsight_time_rest(thread->wall_ns, imports);
        const uint64_t works =
            pinsight_time_rest(pinsight_attribution_thread_running_ns(thread) +
                                   thread->away.ready_ns + thread->native_ready_ns,
                               imports);

        if ((double)works >= WORKING_PART * (double)wall && wall > longest)
            longest = wall;
    }
    return longest;
}

/* Finds resting threads. A thread that waits for a queue, or for others to end, lasts as long as
 * the run. The waiting of such a thread does not characterize its functions. */
static void set_resting(struct pinsight_attribution_maker *maker,
                        const struct pinsight_attribution_walk *walk) {
    struct pinsight_attribution_view *view = maker->view;
    const uint64_t work = longest_work(view);
    uint64_t longest = 0;

    for (size_t i = 0; i < view->thread_count; i++)
        if (view->threads[i].wall_ns > longest)
            longest = view->threads[i].wall_ns;
    for (size_t i = 0; i < view->thread_count; i++) {
        struct pinsight_attribution_thread *thread = &view->threads[i];

        if (!is_resting(thread) || (double)work < WORKING_WHILE * (double)thread->wall_ns ||
            (double)thread->wall_ns < RESTING_WHILE * (double)longest)
            continue;
        thread->rests = true;
        view->resting++;
        for (size_t p = 0; p < walk->python_count; p++)
            if (walk->pythons[p].thread == thread->thread)
                view->functions[pinsight_attribution_row(maker, walk->pythons[p].function)]
                    .resting_ns += pinsight_attribution_waiting_ns(&walk->pythons[p].away);
    }
}

ORDER(by_all, struct pinsight_attribution_function,
      BY(pinsight_attribution_took_ns(b), pinsight_attribution_took_ns(a))
        ?: BY(pinsight_attribution_function_ns(b), pinsight_attribution_function_ns(a))
        ?: strcmp(a->name ? a->name : "", b->name ? b->name : "") ?: strcmp(a->file, b->file)
        ?: BY(a->line, b->line))

ORDER(by_wall, struct pinsight_attribution_line,
      BY(wall_of(b->work), wall_of(a->work)) ?: BY(b->c_ns, a->c_ns)
          ?: BY(a->function, b->function) ?: BY(a->line, b->line)
          ?: BY(a->forward_line, b->forward_line)
          ?: strcmp(a->forward_file ? a->forward_file : "",
                    b->forward_file ? b->forward_file : ""))

/* Sorts the functions, and updates the indices of functions. */
static void sort(struct pinsight_attribution_view *view) {
    uint32_t *places;

    if (!view->function_count)
        return; /* without functions there are no lines either */
    places = pinsight_calloc(view->function_count, sizeof(*places));
    for (size_t i = 0; i < view->function_count; i++)
        view->functions[i].order = (uint32_t)i;
    PINSIGHT_SORT(view->functions, view->function_count, by_all);
    for (size_t i = 0; i < view->function_count; i++)
        places[view->functions[i].order] = (uint32_t)i;
    for (size_t i = 0; i < view->line_count; i++)
        view->lines[i].function = places[view->lines[i].function];
    for (size_t i = 0; i < view->part_count; i++)
        view->parts[i].function = places[view->parts[i].function];
    for (size_t i = 0; i < view->share_count; i++)
        view->shares[i].function = places[view->shares[i].function];
    for (size_t i = 0; i < view->call_count; i++)
        view->calls[i].function = places[view->calls[i].function];
    PINSIGHT_SORT(view->lines, view->line_count, by_wall);
    free(places);
}

static void add_call_times(struct pinsight_attribution_function *row,
                           const struct pinsight_stats *stats,
                           const struct pinsight_monitored *counted) {
    row->calls += stats->calls + counted->calls;
    row->sum_ns += stats->sum_ns + (counted->sum_ns ? counted->sum_ns : counted->total_ns);
    row->total_ns += stats->total_ns + counted->total_ns;
    if (stats->slices && row->max_ns < stats->max_ns)
        row->max_ns = stats->max_ns;
    if (row->max_ns < counted->max_ns)
        row->max_ns = counted->max_ns;
    row->is_resumed |= stats->slices > stats->calls;
    row->has_max |= stats->slices || counted->max_ns;
}

static void count_calls(struct pinsight_attribution_maker *maker) {
    const struct pinsight_model *model = maker->report->model;

    for (size_t i = 0; i < model->function_count; i++) {
        const struct pinsight_function *function = &model->functions[i];
        uint32_t key = pinsight_omp_function_key(&maker->keys, (uint32_t)i);
        uint32_t row = pinsight_map_get(&maker->functions, key, 0, 0);

        if (row == PINSIGHT_MAP_NONE)
            continue;
        add_call_times(&maker->view->functions[row], &function->stats, &function->counted);
        maker->view->functions[row].in_part |= pinsight_history_function_left_out(
            &model->history, function->name, function->file, function->line);
    }
}

static void add_python(struct pinsight_attribution_maker *maker,
                       const struct pinsight_walk_python *python) {
    struct pinsight_attribution_view *view = maker->view;
    uint32_t function = pinsight_attribution_row(maker, python->function);
    struct pinsight_attribution_function *row = &view->functions[function];
    const uint64_t running_ns = pinsight_time_rest(python->python_ns + python->c_ns,
                                                   pinsight_attribution_away_ns(&python->away));
    struct pinsight_attribution_part *part = PINSIGHT_KEYED(
        &maker->parts, python->process->index, function, 0, view->parts, view->part_count,
        maker->part_capacity, .function = function, .process = python->process);

    part->running_ns += running_ns;
    part->waiting_ns += pinsight_attribution_waiting_ns(&python->away);
    part->ready_ns += python->away.ready_ns;
    part->calls += python->calls;
    view->shares[view->share_count++] = (struct pinsight_attribution_share){
        .function = function,
        .process = python->process,
        .thread = python->thread,
        .running_ns = running_ns + python->gc_ns - python->gc_ready_ns + python->native_running_ns};
    row->python_ns += python->python_ns;
    row->c_ns += python->c_ns;
    row->gc_ns += python->gc_ns;
    row->gc_ready_ns += python->gc_ready_ns;
    pinsight_attribution_away_add(&row->away, &python->away);
}

struct pinsight_attribution_view *
pinsight_attribution_make(const struct pinsight_report *report,
                          const struct pinsight_attribution_walk *walk) {
    struct pinsight_attribution_view *view = pinsight_calloc(1, sizeof(*view));
    struct pinsight_attribution_maker maker = {
        .report = report, .view = view, .keys = {.model = report->model}};

    view->shares = pinsight_calloc(walk->python_count + 1, sizeof(*view->shares));
    for (size_t i = 0; i < walk->python_count; i++)
        add_python(&maker, &walk->pythons[i]);
    pinsight_attribution_add_calls(&maker, walk);
    pinsight_attribution_add_imports(view, report, walk);
    for (size_t i = 0; i < walk->native_count; i++)
        pinsight_attribution_add(&maker, walk->natives[i].path, walk->natives[i].forward,
                                 walk->natives[i].domain, &walk->natives[i].work);
    for (size_t i = 0; i < READER_DOMAINS; i++)
        if (view_domains[i]->attribution)
            view_domains[i]->attribution(&maker, report, walk);
    for (size_t i = 0; i < report->model->garbage_count; i++)
        pinsight_monitored_add(&view->counted_gc, &report->model->garbage[i].counted);
    add_threads(view, walk);
    set_resting(&maker, walk);
    count_calls(&maker);
    sort(view);
    pinsight_attribution_sort_calls(view);
    pinsight_omp_keys_clear(&maker.keys);
    PINSIGHT_MAPS_CLEAR(&maker.functions, &maker.lines, &maker.forwards, &maker.calls,
                        &maker.parts);
    return view;
}

void pinsight_attribution_free(struct pinsight_attribution_view *view) {
    if (!view)
        return;
    for (size_t i = 0; i < view->import_count; i++)
        free(view->imports[i].package);
    for (size_t i = 0; i < view->own_import_count; i++)
        free(view->own_imports[i].package);
    PINSIGHT_FREE(view->functions, view->lines, view->calls, view->parts, view->shares,
                  view->imports, view->own_imports, view->imports_ns, view->threads, view);
}

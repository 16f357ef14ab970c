/* From sums by function and call path to rows. Functions of one name and place are one row, in
 * whatever process they were. */
#include "views/attribution_walk.h"

#include "base/memory.h"
#include "base/order.h"
#include "reader/kit/paths.h"
#include "views/domain.h"
#include "views/openmp/keys.h"

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

/* Of that, without what it waited and wanted a processor. */
static uint64_t working_of(const struct pinsight_attribution_work *work) {
    struct pinsight_attribution_work wall = pinsight_attribution_wall(work);

    return wall.wall_ns - wall.wall_waiting_ns - wall.wall_away_ns - wall.wall_ready_ns;
}

uint64_t pinsight_attribution_function_ns(const struct pinsight_attribution_function *function) {
    return function->python_ns + function->c_ns + function->gc_ns + wall_of(function->work);
}

/* Who only waits is behind who works. */
static uint64_t running_of(const struct pinsight_attribution_function *function) {
    return function->python_ns + function->c_ns + function->gc_ns -
           pinsight_attribution_away_ns(&function->away) + working_of(function->work);
}

double pinsight_attribution_users_share(const struct pinsight_attribution_view *view) {
    uint64_t all = view->python_ns + view->c_ns + view->gc_ns -
                   pinsight_attribution_away_ns(&view->away) + working_of(view->all);
    uint64_t users = 0;

    for (size_t i = 0; i < view->function_count; i++)
        if (pinsight_path_is_users(view->functions[i].file))
            users += running_of(&view->functions[i]);
    return all ? (double)users / (double)all : 0;
}

static void add_work(struct pinsight_attribution_work *to,
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

/* What rows are made with. */
struct pinsight_attribution_maker {
    const struct pinsight_report *report;
    struct pinsight_attribution_view *view;
    struct pinsight_omp_keys keys;
    struct pinsight_map functions, lines, forwards;
    uint32_t forward_count;
    size_t function_capacity, line_capacity;
};

static uint32_t function_row(struct pinsight_attribution_maker *maker, uint32_t function) {
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
    return row;
}

/* Until the next is made. */
static struct pinsight_attribution_function *function_at(struct pinsight_attribution_maker *maker,
                                                         uint32_t function) {
    uint32_t row = function_row(maker, function);

    return &maker->view->functions[row];
}

/* The user's frame of a path whose function is known, or NULL. */
static const struct pinsight_path *users_of(const struct pinsight_attribution_maker *maker,
                                            uint32_t path) {
    const struct pinsight_model *model = maker->report->model;
    uint32_t users = path == PINSIGHT_NONE ? PINSIGHT_NONE : pinsight_path_users_line(model, path);

    return users == PINSIGHT_NONE || model->paths[users].function == PINSIGHT_NONE
               ? NULL
               : &model->paths[users];
}

/* A number for a line of a forward pass, 0 for none. */
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

static struct pinsight_attribution_line *line_row(struct pinsight_attribution_maker *maker,
                                                  uint32_t function, int32_t line,
                                                  const struct pinsight_path *forward) {
    const struct pinsight_model *model = maker->report->model;
    struct pinsight_attribution_view *view = maker->view;
    uint32_t of = function_row(maker, function);
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

    add_work(&maker->view->all[domain], work);
    if (path == PINSIGHT_NONE) {
        add_work(&maker->view->alone[domain], work);
        return;
    }
    if (!users) {
        add_work(&function_at(maker, PINSIGHT_NONE)->work[domain], work);
        return;
    }
    add_work(&line_row(maker, users->function, users->line, users_of(maker, forward))->work[domain],
             work);
    add_work(&function_at(maker, users->function)->work[domain], work);
}

void pinsight_attribution_count(struct pinsight_attribution_maker *maker, unsigned domain,
                                const struct pinsight_monitored *counted) {
    maker->view->counted[domain].calls += counted->calls;
    maker->view->counted[domain].total_ns += counted->total_ns;
}

static void add_threads(struct pinsight_attribution_view *view,
                        const struct pinsight_attribution_walk *walk) {
    struct pinsight_attribution_thread thread;

    view->threads = pinsight_calloc(walk->track_count + 1, sizeof(*view->threads));
    for (size_t i = 0; pinsight_attribution_walk_thread(walk, i, &thread); i++) {
        view->threads[view->thread_count++] = thread;
        view->callers += thread.wall_ns > 0;
        view->wall_ns += thread.wall_ns;
        view->python_ns += thread.python_ns;
        view->c_ns += thread.c_ns;
        view->gc_ns += thread.gc_ns;
        pinsight_attribution_away_add(&view->away, &thread.away);
        if (!thread.python)
            view->native_ns += thread.gap_ns;
        else if (!thread.python_ns && !thread.c_ns)
            view->unseen_ns += thread.gap_ns;
    }
    view->recorded_ns = view->python_ns + view->c_ns + view->gc_ns + wall_of(view->all);
    if (view->wall_ns > view->recorded_ns)
        view->elsewhere_ns = view->wall_ns - view->recorded_ns;
}

ORDER(by_all, struct pinsight_attribution_function,
      BY(running_of(b), running_of(a))
        ?: BY(pinsight_attribution_function_ns(b), pinsight_attribution_function_ns(a))
        ?: strcmp(a->name ? a->name : "", b->name ? b->name : "") ?: strcmp(a->file, b->file)
        ?: BY(a->line, b->line))

ORDER(by_wall, struct pinsight_attribution_line,
      BY(wall_of(b->work), wall_of(a->work)) ?: BY(b->c_ns, a->c_ns)
          ?: BY(a->function, b->function) ?: BY(a->line, b->line)
          ?: BY(a->forward_line, b->forward_line)
          ?: strcmp(a->forward_file ? a->forward_file : "",
                    b->forward_file ? b->forward_file : ""))

/* Sorts the functions, and gives the lines their new numbers. */
static void sort(struct pinsight_attribution_view *view) {
    uint32_t *places;

    if (!view->function_count)
        return; /* nor is there a line */
    places = pinsight_calloc(view->function_count, sizeof(*places));
    for (size_t i = 0; i < view->function_count; i++)
        view->functions[i].order = (uint32_t)i;
    PINSIGHT_SORT(view->functions, view->function_count, by_all);
    for (size_t i = 0; i < view->function_count; i++)
        places[view->functions[i].order] = (uint32_t)i;
    for (size_t i = 0; i < view->line_count; i++)
        view->lines[i].function = places[view->lines[i].function];
    PINSIGHT_SORT(view->lines, view->line_count, by_wall);
    free(places);
}

struct pinsight_attribution_view *
pinsight_attribution_make(const struct pinsight_report *report,
                          const struct pinsight_attribution_walk *walk) {
    struct pinsight_attribution_view *view = pinsight_calloc(1, sizeof(*view));
    struct pinsight_attribution_maker maker = {
        .report = report, .view = view, .keys = {.model = report->model}};

    for (size_t i = 0; i < walk->python_count; i++) {
        struct pinsight_attribution_function *row = function_at(&maker, walk->pythons[i].function);

        row->python_ns += walk->pythons[i].python_ns;
        row->c_ns += walk->pythons[i].c_ns;
        row->gc_ns += walk->pythons[i].gc_ns;
        pinsight_attribution_away_add(&row->away, &walk->pythons[i].away);
    }
    for (size_t i = 0; i < walk->line_count; i++) {
        struct pinsight_attribution_line *row =
            line_row(&maker, walk->lines[i].function, walk->lines[i].line, NULL);

        row->c_calls += walk->lines[i].calls;
        row->c_ns += walk->lines[i].ns;
    }
    for (size_t i = 0; i < walk->native_count; i++)
        pinsight_attribution_add(&maker, walk->natives[i].path, walk->natives[i].forward,
                                 walk->natives[i].domain, &walk->natives[i].work);
    for (size_t i = 0; i < READER_DOMAINS; i++)
        if (view_domains[i]->attribution)
            view_domains[i]->attribution(&maker, report, walk);
    for (size_t i = 0; i < report->model->garbage_count; i++)
        pinsight_monitored_add(&view->counted_gc, &report->model->garbage[i].counted);
    add_threads(view, walk);
    sort(view);
    pinsight_omp_keys_clear(&maker.keys);
    pinsight_map_clear(&maker.functions);
    pinsight_map_clear(&maker.lines);
    pinsight_map_clear(&maker.forwards);
    return view;
}

void pinsight_attribution_free(struct pinsight_attribution_view *view) {
    if (!view)
        return;
    PINSIGHT_FREE(view->functions, view->lines, view->threads, view);
}

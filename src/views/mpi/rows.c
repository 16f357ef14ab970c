/* Makes rows from the model's MPI. Calls of one function at one line share a row, from all
 * processes. */
#include "base/memory.h"
#include "base/order.h"
#include "reader/kit/native.h"
#include "reader/kit/native_lines.h"
#include "reader/kit/paths.h"
#include "views/mpi/maker.h"

#include <stdlib.h>
#include <string.h>

static const char *text_of(const struct pinsight_mpi_maker *maker, uint32_t string) {
    return pinsight_strings_text(&maker->model->strings, string);
}

static void add_sums(struct pinsight_mpi_sums *to, const struct pinsight_mpi_site *site) {
    if (site->calls)
        pinsight_extremes_add(&to->min_ns, &to->max_ns, to->calls == to->counted_calls,
                              site->min_ns, site->max_ns);
    to->calls += site->calls + site->counted.calls;
    to->counted_calls += site->counted.calls;
    to->failed += site->failed;
    to->total_ns += site->total_ns + site->counted.total_ns;
    to->sent_bytes += site->sent_bytes;
    to->received_bytes += site->received_bytes;
    to->caused_ns += site->caused_ns;
    for (size_t i = 0; i < PINSIGHT_MPI_WAIT_COUNT; i++)
        to->wait_ns += site->wait_ns[i];
}

static struct pinsight_mpi_place python_place(const struct pinsight_mpi_maker *maker,
                                              uint32_t users) {
    const struct pinsight_path *frame = &maker->model->paths[users];
    const struct pinsight_function *function =
        frame->function == PINSIGHT_NONE ? NULL : &maker->model->functions[frame->function];
    bool known = function && function->known;

    return (struct pinsight_mpi_place){.name = known ? text_of(maker, function->name)
                                                     : "(name not recorded)",
                                       .file = known ? text_of(maker, function->file) : "",
                                       .line = frame->line,
                                       .python = true};
}

static struct pinsight_mpi_place native_place(struct pinsight_mpi_maker *maker, uint32_t native) {
    const struct pinsight_native_place *entry = &maker->model->natives[native];
    struct pinsight_mpi_place place = {.file = text_of(maker, entry->object)};
    const char *recorded = text_of(maker, entry->symbol), *file = NULL;

    if (!maker->view->native_lines)
        maker->view->native_lines = pinsight_native_lines_new(maker->model->last_ns);
    place.name = pinsight_native_line(maker->view->native_lines, place.file, entry->offset,
                                      recorded, &file, &place.line);
    if (!place.name && recorded[0])
        place.name = recorded;
    if (file)
        place.file = file;
    return place;
}

/* Returns the place of a site, as index of places. */
static uint32_t place_of(struct pinsight_mpi_maker *maker, const struct pinsight_mpi_site *site) {
    struct pinsight_mpi_view *view = maker->view;
    uint32_t users = pinsight_path_users_line(maker->model, site->path), place, a, b;
    uint32_t native = site->native;

    if (native != PINSIGHT_NONE && !maker->model->natives[native].known)
        native = PINSIGHT_NONE;
    a = users == PINSIGHT_NONE
            ? pinsight_omp_native_key(&maker->keys, native)
            : pinsight_omp_function_key(&maker->keys, maker->model->paths[users].function);
    b = users == PINSIGHT_NONE ? 0 : (uint32_t)maker->model->paths[users].line;
    place = pinsight_map_get(&maker->places, users == PINSIGHT_NONE, a, b);
    if (place != PINSIGHT_MAP_NONE)
        return place;
    place = (uint32_t)view->place_count++;
    pinsight_map_set(&maker->places, users == PINSIGHT_NONE, a, b, place);
    view->places[place] = users != PINSIGHT_NONE    ? python_place(maker, users)
                          : native != PINSIGHT_NONE ? native_place(maker, native)
                                                    : (struct pinsight_mpi_place){.file = ""};
    return place;
}

static struct pinsight_mpi_row *row_of(struct pinsight_mpi_maker *maker, struct pinsight_map *map,
                                       struct pinsight_mpi_row *rows, size_t *count,
                                       uint32_t function, uint32_t place) {
    const struct pinsight_mpi_function *entry = &maker->mpi->functions[function];
    uint32_t row = pinsight_map_number(map, function, place, 0, (*count));

    if (row == (*count)) {
        (*count)++;
        rows[row] = (struct pinsight_mpi_row){.name = text_of(maker, entry->name),
                                              .function = function,
                                              .kind = entry->kind,
                                              .place = place};
    }
    return &rows[row];
}

static struct pinsight_mpi_caller *caller_of(struct pinsight_mpi_maker *maker, uint32_t path) {
    uint32_t users = pinsight_path_users_line(maker->model, path), key, row;
    uint32_t function =
        users == PINSIGHT_NONE ? PINSIGHT_NONE : maker->model->paths[users].function;
    struct pinsight_mpi_view *view = maker->view;

    key = pinsight_omp_function_key(&maker->keys, function);
    row = pinsight_map_number(&maker->callers, key, 0, 0, view->caller_count);
    if (row == view->caller_count) {
        view->caller_count++;
        view->callers[row] = (struct pinsight_mpi_caller){.file = ""};
        if (function != PINSIGHT_NONE) {
            const struct pinsight_function *entry = &maker->model->functions[function];

            view->callers[row].name = pinsight_function_name(maker->model, function);
            view->callers[row].file = text_of(maker, entry->file);
            view->callers[row].line = entry->line;
        }
    }
    return &view->callers[row];
}

static void make_sums(struct pinsight_mpi_maker *maker) {
    const struct pinsight_mpi *mpi = maker->mpi;
    struct pinsight_mpi_view *view = maker->view;

    view->functions = pinsight_calloc(mpi->function_count + 1, sizeof(*view->functions));
    view->lines = pinsight_calloc(mpi->site_count + 1, sizeof(*view->lines));
    view->places = pinsight_calloc(mpi->site_count + 1, sizeof(*view->places));
    view->callers = pinsight_calloc(mpi->site_count + 1, sizeof(*view->callers));
    view->site_lines = pinsight_calloc(mpi->site_count + 1, sizeof(*view->site_lines));
    for (size_t i = 0; i < mpi->site_count; i++) {
        const struct pinsight_mpi_site *site = &mpi->sites[i];
        struct pinsight_mpi_row *line, *function;

        line = row_of(maker, &maker->lines, view->lines, &view->line_count, site->function,
                      place_of(maker, site));
        view->site_lines[i] = (uint32_t)(line - view->lines);
        if (!mpi->ranks[site->rank]->process->selected)
            continue;
        function = row_of(maker, &maker->functions, view->functions, &view->function_count,
                          site->function, 0);
        if (!function->ranks)
            function->ranks = pinsight_calloc(view->rank_count, sizeof(*function->ranks));
        add_sums(&line->sums, site);
        add_sums(&function->sums, site);
        add_sums(&function->ranks[maker->rank_rows[site->rank]], site);
        add_sums(&caller_of(maker, site->path)->sums, site);
        add_sums(&view->all, site);
    }
}

/* Computes POP's efficiencies for the ranks in the trace. */
static void make_efficiency(struct pinsight_mpi_maker *maker) {
    const struct pinsight_mpi *mpi = maker->mpi;
    struct pinsight_mpi_view *view = maker->view;
    struct pinsight_mpi_efficiency *e = &view->efficiency;
    uint64_t sum = 0, ideal = 0;
    size_t count = 0;

    for (size_t i = 0; i < view->rank_count; i++) {
        const struct pinsight_mpi_rank_row *row = &view->ranks[i];

        if (!row->rank || !row->rank->process->selected)
            continue;
        count++;
        sum += row->useful_ns;
        if (row->useful_ns > e->useful_max_ns)
            e->useful_max_ns = row->useful_ns;
        if (row->useful_ns + row->wait_ns > ideal)
            ideal = row->useful_ns + row->wait_ns;
        if (row->wall_ns > e->runtime_ns)
            e->runtime_ns = row->wall_ns;
    }
    e->known = count && e->runtime_ns && e->useful_max_ns;
    if (!e->known)
        return;
    e->useful_mean_ns = sum / count;
    e->parallel = (double)e->useful_mean_ns / (double)e->runtime_ns;
    e->load_balance = (double)e->useful_mean_ns / (double)e->useful_max_ns;
    e->communication = (double)e->useful_max_ns / (double)e->runtime_ns;
    /* Waiting is known only if all messages and operations were matched. */
    e->parts_known = mpi->matched == mpi->receives && mpi->sends == mpi->receives &&
                     !mpi->misaligned && !mpi->incomplete && !mpi->late_ranks;
    if (!e->parts_known)
        return;
    e->serialisation = (double)e->useful_max_ns / (double)ideal;
    e->transfer = (double)ideal / (double)e->runtime_ns;
}

ORDER(by_total, struct pinsight_mpi_row,
      BY(b->sums.total_ns, a->sums.total_ns) ?: strcmp(a->name, b->name) ?: BY(a->place, b->place))

ORDER(by_caller_total, struct pinsight_mpi_caller,
      BY(b->sums.total_ns, a->sums.total_ns)
          ?: strcmp(a->name ? a->name : "", b->name ? b->name : ""))

/* Sorts the lines, and updates the indices of sites. */
static void sort_lines(const struct pinsight_mpi_maker *maker) {
    struct pinsight_mpi_view *view = maker->view;
    struct pinsight_map moved = {0};

    /* A line is one function at one place, which finds it again. */
    PINSIGHT_SORT(view->lines, view->line_count, by_total);
    for (uint32_t i = 0; i < view->line_count; i++)
        pinsight_map_set(
            &moved,
            pinsight_map_get(&maker->lines, view->lines[i].function, view->lines[i].place, 0), 0, 0,
            i);
    for (size_t i = 0; i < maker->mpi->site_count; i++)
        view->site_lines[i] = pinsight_map_get(&moved, view->site_lines[i], 0, 0);
    pinsight_map_clear(&moved);
}

static void clear(struct pinsight_mpi_maker *maker) {
    PINSIGHT_MAPS_CLEAR(&maker->places, &maker->functions, &maker->lines, &maker->callers,
                        &maker->ranks, &maker->flows);
    free(maker->rank_rows);
    pinsight_omp_keys_clear(&maker->keys);
}

struct pinsight_mpi_view *pinsight_mpi_view_make(const struct pinsight_report *report) {
    struct pinsight_mpi_view *view = pinsight_calloc(1, sizeof(*view));
    struct pinsight_mpi_maker maker = {.report = report,
                                       .model = report->model,
                                       .mpi = pinsight_model_mpi(report->model),
                                       .view = view,
                                       .keys = {.model = report->model}};

    if (!maker.mpi)
        return view;
    pinsight_mpi_ranks_make(&maker);
    make_sums(&maker);
    pinsight_mpi_flows_make(&maker);
    make_efficiency(&maker);
    for (size_t i = 0; i < maker.mpi->rank_count; i++) {
        view->requests_started += maker.mpi->ranks[i]->requests_started;
        view->requests_completed += maker.mpi->ranks[i]->requests_completed;
        view->requests_freed += maker.mpi->ranks[i]->requests_freed;
        view->requests_cancelled += maker.mpi->ranks[i]->requests_cancelled;
        view->ended += pinsight_mpi_has_ended(maker.mpi->ranks[i]->process);
    }
    PINSIGHT_SORT(view->functions, view->function_count, by_total);
    PINSIGHT_SORT(view->callers, view->caller_count, by_caller_total);
    sort_lines(&maker);
    pinsight_mpi_waits_make(report, view, maker.rank_rows);
    pinsight_mpi_deaths_make(report, view);
    clear(&maker);
    return view;
}

void pinsight_mpi_view_free(struct pinsight_mpi_view *view) {
    if (!view)
        return;
    for (size_t i = 0; i < view->function_count; i++)
        free(view->functions[i].ranks);
    PINSIGHT_FREE(view->functions, view->lines, view->places, view->callers, view->ranks,
                  view->waits, view->deaths, view->pairs, view->flows, view->site_lines);
    pinsight_native_lines_free(view->native_lines);
    free(view);
}

/* Makes rows from the model. Functions with one name, file and line share a row, from all processes
 * and code objects. */
#include "views/report/rows.h"

#include "base/memory.h"

#include <string.h>

/* The sums of a row, before its means are computed. */
struct sums {
    struct pinsight_stats stats;
    struct pinsight_monitored counted;
    bool in_part; /* as in struct pinsight_times */
};

static void add_sums(struct sums *to, const struct pinsight_stats *stats,
                     const struct pinsight_monitored *counted) {
    pinsight_stats_add(&to->stats, stats);
    if (counted)
        pinsight_monitored_add(&to->counted, counted);
}

static struct pinsight_times times_of(const struct sums *sums) {
    struct pinsight_times times = {
        .calls = sums->stats.calls + sums->counted.calls,
        .total_ns = sums->stats.total_ns + sums->counted.total_ns,
        .self_ns = sums->stats.self_ns + sums->counted.self_ns,
        .away_ns = sums->stats.away_ns,
        .ready_ns = sums->stats.ready_ns,
        .min_ns = sums->stats.min_ns,
        .max_ns = sums->stats.max_ns,
        .has_range = sums->stats.slices > 0,
        .counted_calls = sums->counted.calls,
        .counted_total_ns = sums->counted.total_ns,
        .counted_self_ns = sums->counted.self_ns,
        .in_part = sums->in_part,
        .generator = sums->stats.slices > sums->stats.calls,
    };
    uint64_t sum =
        sums->stats.sum_ns + (sums->counted.sum_ns ? sums->counted.sum_ns : sums->counted.total_ns);

    if (times.max_ns < sums->counted.max_ns || !sums->stats.slices)
        times.max_ns = sums->counted.max_ns;
    times.has_max = sums->stats.slices || sums->counted.max_ns;
    if (times.calls)
        times.mean_ns = sum / times.calls;
    else if (sums->stats.slices)
        times.mean_ns = sum / sums->stats.slices;
    return times;
}

static bool seen(const struct pinsight_stats *stats, const struct pinsight_monitored *counted) {
    return stats->calls || stats->slices || (counted && (counted->calls || counted->total_ns));
}

static const char *text_of(const struct pinsight_model *model, uint32_t string) {
    return pinsight_strings_text(&model->strings, string);
}

static void make_functions(struct pinsight_report *report) {
    const struct pinsight_model *model = report->model;
    struct pinsight_map map = {0};
    struct sums *sums = pinsight_calloc(model->function_count, sizeof(*sums));

    report->functions = pinsight_calloc(model->function_count, sizeof(*report->functions));
    for (size_t i = 0; i < model->function_count; i++) {
        const struct pinsight_function *function = &model->functions[i];
        uint32_t row;

        if (!seen(&function->stats, &function->counted))
            continue;
        if (!function->known)
            report->not_recorded.unnamed_functions++;
        row = pinsight_map_number(&map, function->name, function->file, (uint32_t)function->line,
                                  report->function_count);
        if (row == report->function_count) {
            report->function_count++;
            report->functions[row] = (struct pinsight_function_row){
                .name = pinsight_function_name(model, (uint32_t)i),
                .file = text_of(model, function->file),
                .line = function->line,
            };
        }
        if (!report->functions[row].module || !report->functions[row].module[0])
            report->functions[row].module = text_of(model, function->module);
        add_sums(&sums[row], &function->stats, &function->counted);
        sums[row].in_part |= pinsight_history_function_left_out(&model->history, function->name,
                                                                function->file, function->line);
        pinsight_histogram_merge(&report->functions[row].histogram, function->histogram);
    }
    for (size_t row = 0; row < report->function_count; row++)
        report->functions[row].times = times_of(&sums[row]);
    pinsight_map_clear(&map);
    free(sums);
}

static void make_callees(struct pinsight_report *report) {
    const struct pinsight_model *model = report->model;
    struct pinsight_map map = {0};
    struct sums *sums = pinsight_calloc(model->callee_count, sizeof(*sums));

    report->callees = pinsight_calloc(model->callee_count, sizeof(*report->callees));
    for (size_t i = 0; i < model->callee_count; i++) {
        const struct pinsight_callee *callee = &model->callees[i];
        uint32_t row;

        if (!seen(&callee->stats, &callee->counted))
            continue;
        row = pinsight_map_number(&map, callee->name, 0, 0, report->callee_count);
        if (row == report->callee_count) {
            report->callee_count++;
            report->callees[row] =
                (struct pinsight_c_row){.name = pinsight_callee_name(model, (uint32_t)i),
                                        .module = text_of(model, callee->module)};
        }
        add_sums(&sums[row], &callee->stats, &callee->counted);
        sums[row].in_part |= pinsight_history_callee_left_out(&model->history, callee->name);
    }
    for (size_t row = 0; row < report->callee_count; row++)
        report->callees[row].times = times_of(&sums[row]);
    pinsight_map_clear(&map);
    free(sums);
}

/* Returns a number for the caller of a call site. Functions with one name and file share a
 * number. */
static uint32_t caller_number(struct pinsight_model *model, struct pinsight_map *callers,
                              uint32_t function) {
    const struct pinsight_function *caller = &model->functions[function];
    uint32_t number = pinsight_map_get(callers, caller->name, caller->file, 0);

    if (number == PINSIGHT_MAP_NONE) {
        number = function;
        pinsight_map_set(callers, caller->name, caller->file, 0, number);
    }
    return number;
}

/* Adds the calls from one line to their row. Counted calls without a caller have a row without a
 * line. */
static void add_site(struct pinsight_report *report, struct pinsight_map *map,
                     struct pinsight_map *callers, struct sums *sums,
                     const struct pinsight_site *site) {
    struct pinsight_model *model = report->model;
    const struct pinsight_callee *callee = &model->callees[site->callee];
    uint32_t caller = PINSIGHT_NONE;
    uint32_t row;

    if (!seen(&site->stats, &site->counted))
        return;
    if (site->caller != PINSIGHT_NONE)
        caller = caller_number(model, callers, site->caller);
    row = pinsight_map_number(map, callee->known ? callee->name : PINSIGHT_NONE - site->callee,
                              caller, (uint32_t)site->line, report->c_call_count);
    if (row == report->c_call_count) {
        report->c_call_count++;
        report->c_calls[row] = (struct pinsight_c_row){
            .name = pinsight_callee_name(model, site->callee),
            .known = callee->known,
            .module = text_of(model, callee->module),
            .caller = caller == PINSIGHT_NONE ? NULL : pinsight_function_name(model, caller),
            .caller_file =
                caller == PINSIGHT_NONE ? NULL : text_of(model, model->functions[caller].file),
            .caller_line = site->line,
            .sites = 1,
        };
    }
    add_sums(&sums[row], &site->stats, &site->counted);
    sums[row].in_part |= pinsight_history_callee_left_out(&model->history, callee->name);
    pinsight_histogram_merge(&report->c_calls[row].histogram, site->histogram);
}

/* Returns the counts of each callee that belong to no call site. The caller frees them. */
static struct pinsight_monitored *counted_without_site(const struct pinsight_model *model) {
    struct pinsight_monitored *counted = pinsight_calloc(model->callee_count + 1, sizeof(*counted));

    for (size_t i = 0; i < model->callee_count; i++)
        counted[i] = model->callees[i].counted;
    for (size_t i = 0; i < model->site_count; i++) {
        struct pinsight_monitored *of = &counted[model->sites[i].callee];
        const struct pinsight_monitored *at = &model->sites[i].counted;

        of->calls -= pinsight_least(at->calls, of->calls);
        of->total_ns -= pinsight_least(at->total_ns, of->total_ns);
        of->self_ns -= pinsight_least(at->self_ns, of->self_ns);
    }
    for (size_t i = 0; i < model->callee_count; i++)
        if (!counted[i].calls)
            counted[i] = (struct pinsight_monitored){0}; /* remains of rounding */
    return counted;
}

static void make_c_calls(struct pinsight_report *report) {
    const struct pinsight_model *model = report->model;
    struct pinsight_map map = {0}, callers = {0};
    size_t most = model->site_count + model->callee_count;
    struct sums *sums = pinsight_calloc(most, sizeof(*sums));
    struct pinsight_monitored *without = counted_without_site(model);

    report->c_calls = pinsight_calloc(most, sizeof(*report->c_calls));
    for (size_t i = 0; i < model->site_count; i++)
        add_site(report, &map, &callers, sums, &model->sites[i]);
    for (size_t i = 0; i < model->callee_count; i++)
        add_site(report, &map, &callers, sums,
                 &(struct pinsight_site){
                     .callee = (uint32_t)i, .caller = PINSIGHT_NONE, .counted = without[i]});
    for (size_t row = 0; row < report->c_call_count; row++)
        report->c_calls[row].times = times_of(&sums[row]);
    pinsight_map_clear(&map);
    pinsight_map_clear(&callers);
    PINSIGHT_FREE(sums, without);
}

/* Sets the number of lines that call each callee, and the line if it is the only one. */
static void count_sites(struct pinsight_report *report) {
    struct pinsight_strings names = {0};
    uint32_t *row_of = pinsight_calloc(report->callee_count + 1, sizeof(*row_of));

    for (size_t i = 0; i < report->callee_count; i++) {
        uint32_t number =
            pinsight_strings_add(&names, report->callees[i].name, strlen(report->callees[i].name));

        if (number <= report->callee_count)
            row_of[number] = (uint32_t)i;
    }
    for (size_t i = 0; i < report->c_call_count; i++) {
        const struct pinsight_c_row *site = &report->c_calls[i];
        uint32_t number = pinsight_strings_add(&names, site->name, strlen(site->name));
        struct pinsight_c_row *callee;

        if (number > report->callee_count)
            continue;
        callee = &report->callees[row_of[number]];
        if (!callee->sites++) {
            callee->caller = site->caller;
            callee->caller_file = site->caller_file;
            callee->caller_line = site->caller_line;
        }
    }
    pinsight_strings_clear(&names);
    free(row_of);
}

static void make_groups(struct pinsight_report *report) {
    const struct pinsight_model *model = report->model;

    report->groups = pinsight_calloc(model->group_count, sizeof(*report->groups));
    for (size_t i = 0; i < model->group_count; i++) {
        const struct pinsight_group *group = &model->groups[i];
        const struct pinsight_monitored *counted = group->counted;

        if (!group->calls && !group->c_calls && !group->total_ns && !counted[0].calls &&
            !counted[1].calls)
            continue;
        report->groups[report->group_count++] = (struct pinsight_group_row){
            .name = text_of(model, group->name),
            .calls = group->calls + counted[PINSIGHT_FUNCTION].calls,
            .c_calls = group->c_calls + counted[PINSIGHT_C_CALL].calls,
            /* Among counted times, only self times add up over functions. */
            .total_ns = group->total_ns + counted[0].self_ns + counted[1].self_ns,
            .self_ns = group->self_ns[PINSIGHT_FUNCTION] + counted[PINSIGHT_FUNCTION].self_ns,
            .c_self_ns = group->self_ns[PINSIGHT_C_CALL] + counted[PINSIGHT_C_CALL].self_ns,
            .counted = {counted[0].calls, counted[1].calls},
        };
    }
}

static void make_threads(struct pinsight_report *report) {
    const struct pinsight_model *model = report->model;
    bool traced = false, counting = false;
    size_t count = 0;

    for (size_t p = 0; p < model->process_count; p++)
        count += model->processes[p]->thread_count;
    report->threads = pinsight_calloc(count, sizeof(*report->threads));
    for (size_t p = 0; p < model->process_count; p++) {
        const struct pinsight_process *process = model->processes[p];

        for (size_t t = 0; t < process->thread_count; t++) {
            const struct pinsight_thread *thread = process->thread_list[t];
            const struct pinsight_monitored *counted = thread->counted;
            struct pinsight_thread_row row = {
                .thread = thread,
                .name = text_of(model, thread->name),
                .calls = thread->calls[0] + counted[0].calls,
                .c_calls = thread->calls[1] + counted[1].calls,
                .self_ns = thread->self_ns[0] + counted[0].self_ns,
                .c_self_ns = thread->self_ns[1] + counted[1].self_ns,
                .busy_ns = thread->busy_ns + counted[0].self_ns + counted[1].self_ns,
                .counted = {counted[0].calls, counted[1].calls},
            };

            if (!thread->selected ||
                !(row.calls || row.c_calls || thread->last_ns || pinsight_thread_has_state(thread)))
                continue;
            traced |= thread->last_ns != 0;
            counting |= counted[0].calls || counted[1].calls;
            report->has_clocks |= thread->clock.known_ns != 0;
            report->waiting_ns += thread->clock.waiting_ns;
            report->ready_ns += thread->clock.ready_ns;
            report->python_ns += row.self_ns;
            report->c_ns += row.c_self_ns;
            report->threads[report->thread_count++] = row;
        }
    }
    report->only_counted = counting && !traced;
    report->mixed = counting && traced;
}

void pinsight_rows_make(struct pinsight_report *report) {
    make_functions(report);
    make_callees(report);
    make_c_calls(report);
    count_sites(report);
    make_groups(report);
    make_threads(report);
}

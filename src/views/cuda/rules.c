/* The rule for an insight on CUDA: a loop of small copies. device_lines.c finds idle devices. */
#include "base/map.h"
#include "base/memory.h"
#include "base/units.h"
#include "reader/kit/paths.h"
#include "views/cuda/cuda.h"
#include "views/insights/insights.h"

#include <stdlib.h>

/* See docs/insights.md. */
#define LEAST_COPIES 500
#define MOST_BYTES 16384
#define LEAST_SHARE 0.05 /* of all time */

/* Copies that a line requests, and the time that it waits for devices. A copy of one number from a
 * device is requested and waited for. */
struct copies {
    uint32_t function; /* or PINSIGHT_NONE */
    int32_t line;
    uint64_t calls, bytes, ns;
    uint64_t most; /* number of calls of `by` */
    uint32_t by;   /* string: the CUDA function with the most calls */
};

static uint64_t copied_by(const struct pinsight_cuda_site *site) {
    const uint64_t *bytes = site->works ? site->recorded : site->bytes;

    return bytes[PINSIGHT_CUDA_TO_DEVICE] + bytes[PINSIGHT_CUDA_FROM_DEVICE];
}

struct copy_lines {
    struct copies *list;
    uint32_t count;
    struct pinsight_map map; /* by function and line */
};

static struct copies *copies_at(const struct pinsight_model *model, struct copy_lines *lines,
                                uint32_t path) {
    uint32_t frame = path == PINSIGHT_NONE ? PINSIGHT_NONE : pinsight_path_users_line(model, path);
    struct copies at = {.function = PINSIGHT_NONE, .by = PINSIGHT_NONE};

    if (frame != PINSIGHT_NONE) {
        at.function = model->paths[frame].function;
        at.line = model->paths[frame].line;
    }
    uint32_t known = pinsight_map_get(&lines->map, at.function, (uint32_t)at.line, 0);

    if (known != PINSIGHT_MAP_NONE)
        return &lines->list[known];
    pinsight_map_set(&lines->map, at.function, (uint32_t)at.line, 0, lines->count);
    lines->list[lines->count] = at;
    return &lines->list[lines->count++];
}

static void add_site(struct copies *copies, const struct pinsight_cuda *cuda,
                     const struct pinsight_cuda_site *site) {
    const struct pinsight_cuda_function *function = &cuda->functions[site->function];
    uint64_t bytes = copied_by(site);

    if (function->role != PINSIGHT_CUDA_COPIES && function->role != PINSIGHT_CUDA_WAITS)
        return;
    copies->ns += site->total_ns;
    if (function->role != PINSIGHT_CUDA_COPIES || !bytes)
        return;
    copies->calls += site->calls;
    copies->bytes += bytes;
    if (site->calls > copies->most) {
        copies->most = site->calls;
        copies->by = function->name;
    }
}

static bool are_small(const struct copies *copies) {
    return copies->calls >= LEAST_COPIES && copies->bytes / copies->calls <= MOST_BYTES;
}

static void say(const struct pinsight_report *report, struct pinsight_insights *insights,
                const struct copies *copies) {
    const struct pinsight_model *model = report->model;
    struct pinsight_insight insight = {.rule = "small_copies", .ns = copies->ns, .option = "cuda"};
    const char *name = NULL;
    char *place = NULL;

    if (copies->function != PINSIGHT_NONE) {
        insight.file = pinsight_report_string(report, model->functions[copies->function].file);
        insight.line = copies->line;
        name = pinsight_function_name(model, copies->function);
        place = pinsight_insights_place(insight.file, insight.line);
    }
    pinsight_insights_add(
        insights, insight,
        "%s%s%s copies %s time%s %s to devices or from them by %s: %s with its waits",
        place ? place : "", place ? " in " : "", name ? name : "a thread without Python",
        pinsight_units_count(copies->calls).text, copies->calls == 1 ? "" : "s",
        pinsight_units_size(copies->bytes / copies->calls).text,
        pinsight_report_string(report, copies->by), pinsight_units_time(copies->ns).text);
    free(place);
}

static void rule_copies(const struct pinsight_report *report, struct pinsight_insights *insights) {
    const struct pinsight_cuda *cuda = pinsight_model_cuda(report->model);
    const struct copies *most = NULL;
    struct copy_lines lines = {0};

    if (!cuda || !cuda->site_count)
        return;
    lines.list = pinsight_calloc(cuda->site_count, sizeof(*lines.list));
    for (size_t i = 0; i < cuda->site_count; i++)
        if (report->model->processes[cuda->sites[i].process]->selected)
            add_site(copies_at(report->model, &lines, cuda->sites[i].path), cuda, &cuda->sites[i]);
    for (uint32_t i = 0; i < lines.count; i++)
        if (are_small(&lines.list[i]) && (!most || lines.list[i].ns > most->ns))
            most = &lines.list[i];
    if (most && (double)most->ns >= LEAST_SHARE * (double)pinsight_insights_whole(report))
        say(report, insights, most);
    pinsight_map_clear(&lines.map);
    free(lines.list);
}

pinsight_insight_rule *const pinsight_cuda_rules[] = {pinsight_cuda_rule_idle, rule_copies, NULL};

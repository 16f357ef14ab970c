/* The first reading of a trace of several hosts; see host_clocks.h. */
#include "reader/host_clocks.h"

#include "base/memory.h"
#include "reader/core/counted.h"
#include "reader/ctf/progress.h"
#include "reader/ctf/source.h"
#include "reader/ingest.h"

#include <stdlib.h>

struct relating {
    struct pinsight_model *model;
    struct pinsight_bounds bounds;
    char **names; /* of hosts, by number; NULL for an unknown one */
    size_t name_count;
};

static void note_host(struct relating *relating, const struct pinsight_binding *binding) {
    char **name;

    if (binding->host < relating->name_count && relating->names[binding->host])
        return;
    relating->names = pinsight_reach(relating->names, binding->host, &relating->name_count,
                                     sizeof(*relating->names));
    name = &relating->names[binding->host];
    *name = pinsight_strdup(pinsight_strings_text(binding->hosts, binding->host));
}

/* Returns whether an event is needed for the processes and threads, or relates hosts. */
static bool is_needed(const struct pinsight_binding *binding) {
    return binding->definition || (binding->domain && binding->domain->relates_hosts);
}

static int take(void *data, const struct pinsight_event *event) {
    struct relating *relating = data;

    note_host(relating, event->binding);
    if (is_needed(event->binding))
        pinsight_ingest(relating->model, event);
    return 0;
}

/* Skips events that are not needed. */
static size_t skip(void *data, const struct pinsight_run *run) {
    size_t count = 0;

    (void)data;
    while (count < run->count) {
        const struct pinsight_binding *binding = run->bindings[run->records[count].class];

        if (!binding || !binding->in_runs || is_needed(binding))
            break;
        count++;
    }
    return count;
}

/* Moves the names of hosts to their corrections. */
static void name_hosts(struct relating *relating, struct pinsight_host_corrections *corrections) {
    for (size_t i = 0; i < relating->name_count; i++)
        if (i < corrections->count)
            corrections->items[i].host = relating->names[i];
        else
            free(relating->names[i]);
    free(relating->names);
}

/* Returns whether all events that relate hosts are there, so that they are related rightly. The
 * last events of a process may be missing. */
static bool is_sure(const struct pinsight_model *model,
                    const struct pinsight_source_result *result) {
    for (size_t i = 0; i < model->process_count; i++)
        for (size_t d = 0; d < model->processes[i]->domain_count; d++) {
            const struct pinsight_process_domain *domain = &model->processes[i]->domains[d];
            const struct reader_domain *reader =
                reader_domain_named(pinsight_strings_text(&model->strings, domain->name));

            if (reader && reader->relates_hosts &&
                (domain->outside || domain->dropped_ends || domain->mode_changed ||
                 domain->selection_changed || domain->size_limit_reached))
                return false;
        }
    for (size_t i = 0; i < model->counted_count; i++)
        if (model->counted[i].domain < READER_DOMAINS &&
            reader_domains[model->counted[i].domain]->relates_hosts)
            return false;
    return pinsight_source_is_whole(result) && !result->damaged_streams &&
           !result->damaged_metadata && !result->discarded_events && !result->discarded_packets;
}

static void show_progress(void *data, uint64_t events) {
    (void)data;
    pinsight_progress_show(events);
}

void pinsight_hosts_read(const char *path, unsigned threads, bool progress,
                         const volatile sig_atomic_t *stop,
                         struct pinsight_host_corrections *corrections) {
    const struct pinsight_model_options all = {.thread = -1, .process = -1};
    struct relating relating = {.model = pinsight_model_new(&all)};
    const struct pinsight_source_options options = {.on_event = take,
                                                    .on_run = skip,
                                                    .on_turn = progress ? show_progress : NULL,
                                                    .data = &relating,
                                                    .threads = threads,
                                                    .stop = stop,
                                                    .several_hosts = true};
    struct pinsight_source_result result = {0};

    relating.model->bounds = &relating.bounds;
    *corrections = (struct pinsight_host_corrections){0};
    if (pinsight_source_read(path, &options, &result) == 0 && is_sure(relating.model, &result)) {
        pinsight_bounds_finish(&relating.bounds);
        pinsight_host_corrections_find(&relating.bounds, relating.name_count, corrections);
    }
    name_hosts(&relating, corrections);
    pinsight_bounds_clear(&relating.bounds);
    pinsight_model_free(relating.model);
    pinsight_source_result_clear(&result);
}

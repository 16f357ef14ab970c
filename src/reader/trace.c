/* The loop that reads a trace into a model. */
#include "reader/trace.h"

#include "reader/ctf/progress.h"
#include "reader/ctf/source.h"
#include "reader/host_clocks.h"
#include "reader/ingest.h"
#include "reader/timeline.h"
#include "reader/window.h"

struct reading {
    struct pinsight_model *model;
    const struct trace_observers *observers;
    const struct pinsight_region_window *window; /* NULL: all events are taken */
    bool ended;                                  /* an observer ended the reading */
};

static bool observe(const struct trace_observers *observers, const struct pinsight_event *event) {
    if ((event->earlier && !observers->earlier) || event->binding->id == PINSIGHT_EVENT_UNKNOWN)
        return false;
    return observers->on_event(observers->data, event) != 0;
}

static int take(void *data, const struct pinsight_event *event) {
    struct reading *reading = data;
    bool definition = event->binding->definition;
    struct pinsight_event copy;

    if (reading->window && !(event = pinsight_window_event(reading->window, event, &copy)))
        return 0;
    if (definition || !reading->observers->on_event)
        pinsight_ingest(reading->model, event);
    if (!reading->observers->on_event)
        return 0;
    reading->ended = observe(reading->observers, event);
    if (!definition && !reading->ended)
        pinsight_ingest(reading->model, event);
    return reading->ended;
}

static size_t take_run(void *data, const struct pinsight_run *run) {
    struct reading *reading = data;

    return run->first->binding->domain->take_run(reading->model, run);
}

static void turn(void *data, uint64_t events) {
    const struct trace_observers *observers = ((struct reading *)data)->observers;

    if (observers->progress)
        pinsight_progress_show(events);
    if (observers->on_turn)
        observers->on_turn(observers->data);
}

/* Returns whether no observer depends on the order between events of different threads. */
static bool may_go_ahead(const struct pinsight_model *model,
                         const struct trace_observers *observers) {
    return !observers->ended && (!model->timeline || model->timeline->any_order);
}

int trace_read(const char *path, struct pinsight_model *model,
               const struct trace_observers *observers, struct pinsight_source_result *result) {
    const char *region = model->options.region;
    struct pinsight_region_window window;
    struct reading reading = {model, observers, region ? &window : NULL, false};
    const struct pinsight_source_options options = {
        .on_event = take,
        .on_run = observers->on_event || region ? NULL : take_run,
        .on_turn = turn,
        .data = &reading,
        .ahead = may_go_ahead(model, observers),
        .ended = observers->ended,
        .threads = observers->threads,
        .stop = observers->stop,
        .corrections = &model->corrections};
    int rc;

    if (!model->options.names_only)
        pinsight_hosts_read(path, observers->threads, observers->progress, observers->stop,
                            &model->corrections);
    if (region && pinsight_window_find(path, region, observers->stop, &model->corrections, &window,
                                       result) != 0)
        return -1;
    rc = pinsight_source_read(path, &options, result);

    if (observers->progress)
        pinsight_progress_end();
    model->until_ns = result->until_ns;
    for (size_t i = 0; i < result->kept_count; i++)
        pinsight_model_process_of(model, result->kept[i].host, result->kept[i].pid,
                                  result->kept[i].instance)
            ->kept_ns = result->kept[i].from_ns;
    reading.ended |= observers->ended && *observers->ended;
    if (rc == 0 && !reading.ended)
        pinsight_model_finish(model);
    return rc;
}

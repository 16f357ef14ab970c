/* The one loop from a trace to a model. */
#include "reader/trace.h"

#include "reader/ctf/progress.h"
#include "reader/ctf/source.h"
#include "reader/ingest.h"

struct reading {
    struct pinsight_model *model;
    const struct trace_observers *observers;
    bool ended; /* an observer had enough */
};

static int observe(const struct trace_observers *observers, const struct pinsight_event *event) {
    if (!observers->on_event || event->earlier || event->binding->id == PINSIGHT_EVENT_UNKNOWN)
        return 0;
    return observers->on_event(observers->data, event);
}

static int take(void *data, const struct pinsight_event *event) {
    struct reading *reading = data;

    if (event->binding->definition)
        pinsight_ingest(reading->model, event);
    reading->ended = observe(reading->observers, event) != 0;
    if (!event->binding->definition && !reading->ended)
        pinsight_ingest(reading->model, event);
    return reading->ended;
}

int trace_read(const char *path, struct pinsight_model *model,
               const struct trace_observers *observers, struct pinsight_source_result *result) {
    struct reading reading = {model, observers, false};
    const struct pinsight_source_options options = {
        .on_event = take,
        .on_progress = observers->progress ? pinsight_progress_show : NULL,
        .data = &reading,
        .stop = observers->stop};
    int rc = pinsight_source_read(path, &options, result);

    if (observers->progress)
        pinsight_progress_end();
    model->until_ns = result->until_ns;
    if (rc == 0 && !reading.ended)
        pinsight_model_finish(model);
    return rc;
}

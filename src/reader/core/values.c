/* Values that the program marks; see values.h. */
#include "reader/core/values.h"

#include "base/memory.h"
#include "reader/lookup.h"
#include "reader/timeline.h"

#include <math.h>

static void add(struct pinsight_counter *counter, double value, uint64_t ns) {
    if (!counter->count++)
        counter->first_ns = ns;
    counter->last = value;
    counter->last_ns = ns;
    counter->min = fmin(counter->min, value); /* of a number and NAN it is the number */
    counter->max = fmax(counter->max, value);
    counter->sum += value;
}

void pinsight_values_take(struct pinsight_model *model, const struct pinsight_event *event) {
    struct pinsight_process *process = pinsight_lookup_process(model, event);
    struct pinsight_counters *all = &model->counters;
    uint32_t name = pinsight_lookup_text(model, event, PINSIGHT_CORE_VALUE_NAME);
    double value = pinsight_event_real(event, PINSIGHT_CORE_VALUE_VALUE);
    struct pinsight_thread *thread;

    pinsight_model_touch(process, event->ns);
    model->marks++;
    if (!process->selected || model->options.names_only)
        return;
    add(PINSIGHT_KEYED(&all->map, process->index, name, 0, all->counters, all->count, all->capacity,
                       .process = process, .name = name, .min = NAN, .max = NAN),
        value, event->ns);
    pinsight_marked_sums_moment(model, PINSIGHT_MARKED_VALUE, name);
    if (!model->timeline)
        return;
    thread = pinsight_lookup_inline_thread(model, event, PINSIGHT_CORE_VALUE_PYTHON_THREAD_ID);
    pinsight_track_value(thread, pinsight_strings_text(&model->strings, name), value, event->ns);
}

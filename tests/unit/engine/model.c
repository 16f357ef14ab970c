/* A plain model of the engine's decisions; see model.h. */
#include "model.h"

static bool has_window(const struct model_settings *settings) {
    return settings->starts_at != 0 || settings->rate != 1 || settings->max >= 0 ||
           settings->timeout != 0;
}

static bool same_window(const struct model_settings *a, const struct model_settings *b) {
    return a->starts_at == b->starts_at && a->rate == b->rate && a->max == b->max &&
           a->timeout == b->timeout;
}

void model_configure(struct model *model, const struct model_settings *settings, unsigned epoch) {
    if (!same_window(&model->settings, settings) || model->epoch != epoch) {
        model->executions = model->recorded = 0;
        model->opened = model->timed_out = model->ended = model->last_runs = false;
    }
    model->settings = *settings;
    model->epoch = epoch;
}

void model_time_passes(struct model *model) {
    model->timed_out = model->opened;
}

static void end_window(struct model *model) {
    model->windows_ended += !model->ended;
    model->ended_executions += model->ended ? 0 : model->executions;
    model->ended_recorded += model->ended ? 0 : model->recorded;
    model->ended = true;
}

static struct model_decision past(const struct model *model) {
    enum model_mode after = model->settings.after;
    return (struct model_decision){
        .traced = after == MODEL_TRACING,
        .counted = after == MODEL_MONITORING,
        .outside = after != MODEL_TRACING && after != MODEL_MONITORING,
    };
}

/* Is the execution that begins now one of those that the window takes, by its number? */
static bool is_taken(const struct model *model) {
    unsigned number = model->executions;
    return number >= model->settings.starts_at &&
           (number - model->settings.starts_at) % model->settings.rate == 0;
}

static struct model_decision start(struct model *model) {
    struct model_decision nothing = {.outside = true};
    if (model->ended || model->last_runs)
        return past(model);
    bool taken = is_taken(model);
    model->executions++;
    if (!taken)
        return nothing;
    if ((model->settings.max >= 0 && model->recorded >= (unsigned)model->settings.max) ||
        model->timed_out) {
        end_window(model);
        return past(model);
    }
    model->opened = model->settings.timeout != 0;
    model->recorded++;
    model->last_runs = model->settings.max >= 0 && model->recorded == (unsigned)model->settings.max;
    return (struct model_decision){.traced = true, .last = model->last_runs};
}

struct model_decision model_begin(struct model *model, enum model_mode mode, bool resumes,
                                  bool recorded) {
    struct model_decision how = {0};
    if (model->settings.filtered)
        return how;
    if (mode == MODEL_MONITORING)
        how.counted = true;
    else if (!has_window(&model->settings) || (resumes && recorded))
        how.traced = true;
    else if (!resumes)
        how = start(model);
    else if (model->ended || model->last_runs)
        how = past(model);
    how.outside = how.outside && !resumes;
    model->outside += how.outside;
    return how;
}

void model_last_ends(struct model *model) {
    if (!model->last_runs)
        return;
    model->last_runs = false;
    end_window(model);
}

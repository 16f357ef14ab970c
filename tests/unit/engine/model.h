/*
 * A plain model of what the engine decides about one lexgion: slow and obvious, written from the
 * guide's rules for windows, and sharing nothing with the engine.
 */
#ifndef PINSIGHT_TESTS_ENGINE_MODEL_H
#define PINSIGHT_TESTS_ENGINE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

/* Modes as the configuration has them. */
enum model_mode { MODEL_OFF, MODEL_STANDBY, MODEL_MONITORING, MODEL_TRACING };

/* What a configuration says of a lexgion. */
struct model_settings {
    unsigned starts_at, rate; /* 0 and 1 where it says nothing */
    int max;                  /* -1 is no limit */
    unsigned timeout;         /* seconds; 0 is never */
    enum model_mode after;
    bool filtered;
};

struct model {
    struct model_settings settings;
    unsigned epoch; /* windows of another one begin anew */
    /* Of the window that is open, or ended. */
    unsigned executions, recorded;
    bool opened, timed_out, ended, last_runs;
    /* Of all windows. */
    unsigned windows_ended, outside;
    unsigned ended_executions, ended_recorded; /* of windows that ended, at that moment */
};

struct model_decision {
    bool traced, counted, outside, last;
};

void model_configure(struct model *model, const struct model_settings *settings, unsigned epoch);

/* Its timeout passes, where its first execution was recorded. */
void model_time_passes(struct model *model);

/* An execution begins in a mode; `resumes` says that it was paused, `recorded` that its start was.
 */
struct model_decision model_begin(struct model *model, enum model_mode mode, bool resumes,
                                  bool recorded);

/* The last execution of a window ends. */
void model_last_ends(struct model *model);

#endif

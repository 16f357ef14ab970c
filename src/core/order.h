/*
 * Orders to the control thread, and its answers: what `pinsight ctl`, a signal or the end of a
 * window asks of a running process. Plain data, so that whoever carries an order needs to know
 * nothing of how it is carried out.
 */
#ifndef PINSIGHT_CORE_ORDER_H
#define PINSIGHT_CORE_ORDER_H

#include "core/domain.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

enum pinsight_order_kind {
    PINSIGHT_ORDER_RELOAD,     /* read the configuration again */
    PINSIGHT_ORDER_MODE,       /* change the modes of `modes` */
    PINSIGHT_ORDER_INTROSPECT, /* `introspect` */
    PINSIGHT_ORDER_STOP,       /* every domain goes into OFF, for good as far as we are asked */
    PINSIGHT_ORDER_DEFINE,     /* the session was rotated: record every definition again */
};

/* How an introspection goes; DESIGN's INTROSPECT:<seconds>:<script>:<mode>. */
struct pinsight_introspection {
    int64_t pause_ns;         /* 0 does not pause, -1 waits without limit */
    char script[PATH_MAX];    /* "" for none */
    enum pinsight_mode after; /* of the domain */
    struct pinsight_domain *domain;
    char cause[256]; /* what the trace says of why */
    /* A window asked for it, when so many introspections had ended: windows of several regions
     * often end together, and one introspection does for all of them. */
    bool by_window;
    uint32_t ended;
};

struct pinsight_order {
    enum pinsight_order_kind kind;
    const char *reason; /* static: "signal", "ctl", "window", "introspect" */
    unsigned mode_count;
    struct {
        struct pinsight_domain *domain;
        enum pinsight_mode mode;
    } modes[PINSIGHT_DOMAINS_MAX];
    struct pinsight_introspection introspection;
};

struct pinsight_answer {
    bool failed;
    bool pending;        /* the order is given, but did not take effect within the time waited */
    uint64_t effect_ns;  /* from the order until it had taken effect */
    uint32_t generation; /* of the configuration in force after it */
    char message[1024];  /* what changed, or what is wrong: whole sentences without a full stop */
};

#endif

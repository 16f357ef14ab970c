/*
 * Orders to the control thread, and its answers. `pinsight ctl`, a signal or the end of a window
 * sends an order to a running process. Orders are plain data, so that their senders do not depend
 * on their execution.
 */
#ifndef PINSIGHT_CORE_ORDER_H
#define PINSIGHT_CORE_ORDER_H

#include "tracer/core/domain.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

enum pinsight_order_kind {
    PINSIGHT_ORDER_RELOAD,     /* read the configuration again */
    PINSIGHT_ORDER_MODE,       /* change the modes of `modes` */
    PINSIGHT_ORDER_INTROSPECT, /* `introspect` */
    PINSIGHT_ORDER_STOP,       /* every domain goes into OFF and stays there */
    PINSIGHT_ORDER_DETACH,     /* end a recording that began while the program ran (domain.h) */
    PINSIGHT_ORDER_DEFINE,     /* the session was rotated: record every definition again */
};

/* The course of an introspection: INTROSPECT:<seconds>:<script>:<mode>. */
struct pinsight_introspection {
    int64_t pause_ns;         /* 0: no pause; -1: no limit */
    char script[PATH_MAX];    /* "" for none */
    enum pinsight_mode after; /* of the domain */
    struct pinsight_domain *domain;
    char cause[256]; /* the cause that the trace names */
    /* A window asked for it after `ended` introspections had ended. Windows of several regions
     * often end together, and one introspection is enough for all of them. */
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
    bool pending;            /* the order had not taken effect when the waiting time was over */
    uint64_t effect_ns;      /* from the order until it took effect */
    uint32_t config_version; /* of the configuration afterwards */
    char message[1024];      /* the changes or the errors: whole sentences without a full stop */
};

#endif

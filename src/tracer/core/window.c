/* Windows of code regions; see window.h. */
#include "tracer/core/window.h"

#include "base/list.h"
#include "tracer/core/clock.h"
#include "tracer/core/control.h"
#include "tracer/core/info.h"
#include "tracer/core/introspect.h"
#include "tracer/core/settings.h"
#include "tracer/record/core_types.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t timer_lock = PTHREAD_MUTEX_INITIALIZER;
static struct pinsight_window *timers; /* unordered, because there are few */
static uint32_t process = 1;           /* number of this process, counted over forks */
static _Atomic uint64_t ended_count;

bool pinsight_window_is_open(const struct pinsight_config_window *setting) {
    return setting->starts_at->number == 0 && setting->rate->number == 1 &&
           setting->max_traces->number < 0 && setting->timeout->number == 0;
}

/* Removes a window from the list of timers, whose lock is held. */
static void unlink_timer(struct pinsight_window *window) {
    uint32_t of = window->timer;
    window->timer = 0;
    if (of != process)
        return; /* no timer, or one in the parent's list */
    PINSIGHT_LIST_REMOVE(timers, window, next_timer, previous_timer);
}

bool pinsight_window_is_same(const struct pinsight_window *window,
                             const struct pinsight_config_window *setting,
                             uint32_t window_version) {
    uint64_t max =
        setting->max_traces->number < 0 ? UINT64_MAX : (uint64_t)setting->max_traces->number;
    return window->version == window_version &&
           window->starts_at == (uint64_t)setting->starts_at->number &&
           window->rate == (uint64_t)setting->rate->number && window->max == max &&
           window->timeout_ns == (uint64_t)setting->timeout->number;
}

void pinsight_window_set(struct pinsight_window *window,
                         const struct pinsight_config_window *setting, uint32_t config_version,
                         uint32_t window_version) {
    uint64_t starts_at = (uint64_t)setting->starts_at->number;
    uint64_t rate = (uint64_t)setting->rate->number;
    uint64_t max =
        setting->max_traces->number < 0 ? UINT64_MAX : (uint64_t)setting->max_traces->number;
    uint64_t timeout_ns = (uint64_t)setting->timeout->number;

    /* The control thread may be about to end the window, because its timer is due. */
    pthread_mutex_lock(&timer_lock);
    if (window->version != window_version || window->starts_at != starts_at ||
        window->rate != rate || window->max != max || window->timeout_ns != timeout_ns) {
        unlink_timer(window);
        window->version = window_version;
        window->starts_at = starts_at;
        window->rate = rate;
        window->max = max;
        window->timeout_ns = timeout_ns;
        atomic_store(&window->executions, 0);
        atomic_store(&window->opened, 0);
        atomic_store(&window->taken, 0);
        atomic_store(&window->ended, false);
    }
    window->setting = *setting;
    window->config_version = config_version;
    pthread_mutex_unlock(&timer_lock);
}

/* Starts the window's timer after its first recorded execution. A timer is needed only if the
 * window's end affects more than the region: the region itself notices the end at its next
 * execution. */
static void start_timer(struct pinsight_window *window, uint64_t now) {
    bool first = false;
    const struct pinsight_config *config = pinsight_settings_begin();

    pthread_mutex_lock(&timer_lock);
    if (config && window->config_version == pinsight_config_version() &&
        window->setting.mode_after->after.kind != PINSIGHT_AFTER_LEXGION &&
        window->timer != process) {
        window->timer = process;
        first = true;
        window->deadline = now + window->timeout_ns;
        PINSIGHT_LIST_ADD(timers, window, next_timer, previous_timer);
    }
    pthread_mutex_unlock(&timer_lock);
    pinsight_settings_end();
    if (first)
        pinsight_control_wake();
}

void pinsight_window_forget(struct pinsight_window *window) {
    pthread_mutex_lock(&timer_lock);
    unlink_timer(window);
    pthread_mutex_unlock(&timer_lock);
}

static bool timed_out(struct pinsight_window *window) {
    uint64_t now = pinsight_clock_ns(), opened = 0;
    if (atomic_compare_exchange_strong(&window->opened, &opened, now)) {
        start_timer(window, now);
        return false;
    }
    /* negative if another thread has just opened the window */
    int64_t passed = (int64_t)(now - opened);
    return passed > 0 && (uint64_t)passed >= window->timeout_ns;
}

enum pinsight_take pinsight_window_take(struct pinsight_window *window) {
    uint64_t at = atomic_fetch_add_explicit(&window->executions, 1, memory_order_relaxed);
    if (at < window->starts_at)
        return PINSIGHT_TAKE_NOT;
    at -= window->starts_at;
    if (window->rate > 1) {
        if (at % window->rate != 0)
            return PINSIGHT_TAKE_NOT;
        at /= window->rate;
    }
    if (at >= window->max)
        return PINSIGHT_TAKE_PAST;
    if (window->timeout_ns) {
        if (timed_out(window))
            return PINSIGHT_TAKE_TIMED_OUT;
        atomic_fetch_add_explicit(&window->taken, 1, memory_order_relaxed);
    }
    return at + 1 == window->max ? PINSIGHT_TAKE_LAST : PINSIGHT_TAKE;
}

enum pinsight_mode pinsight_window_after(const struct pinsight_config_window *setting) {
    const struct pinsight_config_after *after = &setting->mode_after->after;
    return after->kind == PINSIGHT_AFTER_LEXGION ? after->mode : PINSIGHT_MODE_STANDBY;
}

/* Makes the order for the window's effects outside its region. Returns false if there are none. */
static bool make_order(const struct pinsight_config *config,
                       const struct pinsight_config_after *after,
                       const struct pinsight_window_owner *owner, struct pinsight_order *order) {
    if (after->kind == PINSIGHT_AFTER_LEXGION)
        return false;
    memset(order, 0, sizeof *order);
    order->reason = "window";
    if (after->kind == PINSIGHT_AFTER_DOMAINS) {
        order->kind = PINSIGHT_ORDER_MODE;
        for (size_t i = 0; i < after->count && order->mode_count < PINSIGHT_DOMAINS_MAX; i++) {
            struct pinsight_domain *domain =
                pinsight_domain_find(config->domains[after->domains[i].domain].name);
            if (!domain)
                continue; /* the domain is not in this process */
            order->modes[order->mode_count].domain = domain;
            order->modes[order->mode_count++].mode = after->domains[i].mode;
        }
        return true;
    }
    struct pinsight_introspection *how = &order->introspection;
    order->kind = PINSIGHT_ORDER_INTROSPECT;
    how->pause_ns = after->pause_ns;
    how->after = after->mode;
    how->domain = owner->domain;
    snprintf(how->script, sizeof how->script, "%s", after->script ? after->script : "");
    how->by_window = true;
    how->ended = pinsight_introspect_ended();
    snprintf(how->cause, sizeof how->cause, "%.200s", owner->name);
    return true;
}

void pinsight_window_end(struct pinsight_window *window, int cause) {
    if (atomic_exchange(&window->ended, true))
        return;
    atomic_fetch_add(&ended_count, 1);
    char rule[1024] = "a configuration that is not in force any more", text[1024] = "STANDBY";
    struct pinsight_order order;
    bool for_others = false;
    const struct pinsight_config *config = pinsight_settings_begin();
    /* The settings from the window's last look-up are valid as long as no others are in force. */
    if (config && window->config_version == pinsight_config_version()) {
        const struct pinsight_config_setting *ender =
            cause == PINSIGHT_CORE_WINDOW_CAUSE_WINDOW_TIMEOUT ? window->setting.timeout
                                                               : window->setting.max_traces;
        const struct pinsight_config_setting *after = window->setting.mode_after;
        pinsight_config_format_origin(&ender->origin, rule, sizeof rule);
        pinsight_config_format(config, after, text, sizeof text);
        /* A window in a domain that has left TRACING causes no further change. */
        for_others = pinsight_domain_mode(window->owner.domain) == PINSIGHT_MODE_TRACING &&
                     make_order(config, &after->after, &window->owner, &order);
    }
    pinsight_settings_end();
    struct pinsight_window_account account = {
        .executions = atomic_load(&window->executions),
        /* A window without a timeout ends after its maximal number of recorded executions. */
        .recorded = window->timeout_ns ? atomic_load(&window->taken) : window->max,
        .cause = cause,
        .rule = rule,
        .after = text,
    };
    pinsight_info_window_end(&window->owner, &account);
    if (for_others)
        pinsight_control_send(&order);
}

uint64_t pinsight_windows_ended(void) {
    return atomic_load(&ended_count);
}

uint64_t pinsight_windows_due(uint64_t now) {
    uint64_t next = 0;
    pthread_mutex_lock(&timer_lock);
    for (struct pinsight_window *window = timers, *after; window; window = after) {
        after = window->next_timer;
        if (window->deadline <= now) {
            unlink_timer(window);
            pinsight_window_end(window, PINSIGHT_CORE_WINDOW_CAUSE_WINDOW_TIMEOUT);
        } else if (!next || window->deadline < next) {
            next = window->deadline;
        }
    }
    pthread_mutex_unlock(&timer_lock);
    return next;
}

void pinsight_window_fork_child(void) {
    timer_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    timers = NULL; /* another thread may have been changing the list */
    process++;
    atomic_store(&ended_count, 0);
}

/* The control thread; see control.h. */
#include "tracer/core/control.h"

#include "base/clock.h"
#include "tracer/core/clock.h"
#include "tracer/core/dump.h"
#include "tracer/core/info.h"
#include "tracer/core/introspect.h"
#include "tracer/core/listener.h"
#include "tracer/core/log.h"
#include "tracer/core/mode.h"
#include "tracer/core/process.h"
#include "tracer/core/service.h"
#include "tracer/core/settings.h"
#include "tracer/core/signals.h"
#include "tracer/core/window.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* An order in the queue. */
struct item {
    struct pinsight_order order;
    struct item *next;
    struct pinsight_answer answer;
    bool waited_for; /* a caller waits and frees it; otherwise it is freed when done */
    bool done;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static struct item *first, **last = &first;
static bool ended;
static sem_t wake; /* a semaphore, because signal handlers may post it (signal-safety(7)) */

void pinsight_control_wake(void) {
    int kept = errno;
    sem_post(&wake);
    errno = kept;
}

/* ---- execution of orders ---- */

static size_t add(struct pinsight_answer *answer, const char *text) {
    size_t length = strlen(answer->message);
    snprintf(answer->message + length, sizeof answer->message - length, "%s%s", length ? ", " : "",
             text);
    return length;
}

static void change_modes(const struct pinsight_order *order, struct pinsight_answer *answer) {
    char text[256], why[128];
    for (unsigned i = 0; i < order->mode_count; i++) {
        struct pinsight_domain *domain = order->modes[i].domain;
        enum pinsight_mode from = pinsight_domain_mode(domain), to = order->modes[i].mode;
        if (from == to) {
            snprintf(text, sizeof text, "%s is in %s already", domain->name,
                     pinsight_mode_name(to));
        } else if (pinsight_domain_set_mode(domain, to, order->reason) != 0) {
            snprintf(text, sizeof text, "%s refuses %s%s", domain->name, pinsight_mode_name(to),
                     pinsight_domain_refusal(domain, why, sizeof why));
            answer->failed = true;
        } else {
            snprintf(text, sizeof text, "%s %s -> %s", domain->name, pinsight_mode_name(from),
                     pinsight_mode_name(to));
        }
        add(answer, text);
    }
}

static void stop(const struct pinsight_order *order, struct pinsight_answer *answer) {
    struct pinsight_order all = {.reason = order->reason};
    PINSIGHT_EACH_DOMAIN(domain) {
        all.modes[all.mode_count].domain = domain;
        all.modes[all.mode_count++].mode = PINSIGHT_MODE_OFF;
    }
    change_modes(&all, answer);
}

/* Ends an attached recording. It also ends this thread, so the thread cannot wait for the end. */
static void detach(struct pinsight_answer *answer) {
    answer->failed = !*pinsight_process_output();
    if (answer->failed) {
        add(answer, "it was not recorded by `pinsight attach`, and cannot be let go; `pinsight ctl "
                    "PID stop` ends the recording");
        return;
    }
    PINSIGHT_DOMAINS_CALL(detach);
    add(answer, "the recording ends");
}

static void redefine(struct pinsight_answer *answer) {
    pinsight_info_redefine();
    PINSIGHT_DOMAINS_CALL(rotated);
    add(answer, "definitions are recorded again");
}

static void carry_out(const struct pinsight_order *order, struct pinsight_answer *answer) {
    switch (order->kind) {
    case PINSIGHT_ORDER_RELOAD:
        pinsight_settings_reload(order->reason, answer);
        break;
    case PINSIGHT_ORDER_MODE:
        change_modes(order, answer);
        break;
    case PINSIGHT_ORDER_STOP:
        stop(order, answer);
        break;
    case PINSIGHT_ORDER_DETACH:
        detach(answer);
        break;
    case PINSIGHT_ORDER_DEFINE:
        redefine(answer);
        break;
    case PINSIGHT_ORDER_INTROSPECT:
        pinsight_introspect(&order->introspection, answer);
        break;
    }
    answer->config_version = pinsight_config_version();
}

/* ---- the thread ---- */

/* Reloads the configuration. Only stderr can report a failure, because no caller waits. */
static void reload_by_signal(void) {
    struct pinsight_answer answer = {0};
    if (pinsight_settings_reload("signal", &answer) != 0) {
        struct pinsight_log_once each = PINSIGHT_LOG_ONCE_INIT;
        pinsight_log_once(&each, "the configuration stays as it was in process %d: %s",
                          (int)pinsight_process.pid, answer.message);
    }
}

static struct item *next_item(void) {
    pthread_mutex_lock(&lock);
    struct item *item = first;
    if (item) {
        first = item->next;
        if (!first)
            last = &first;
    }
    pthread_mutex_unlock(&lock);
    return item;
}

static void finish(struct item *item) {
    pthread_mutex_lock(&lock);
    bool waited_for = item->waited_for;
    item->done = true;
    pthread_cond_broadcast(&done);
    pthread_mutex_unlock(&lock);
    if (!waited_for)
        free(item);
}

/* Sleeps until woken, or until `due` (CLOCK_MONOTONIC, 0 for no limit). */
static void sleep_until(uint64_t due) {
    if (!due) {
        while (sem_wait(&wake) != 0 && errno == EINTR) {
        }
        return;
    }
    /* sem_clockwait() is too new for some clusters. If the real-time clock is set meanwhile, the
     * thread wakes at a wrong time and checks again. */
    struct timespec at;
    uint64_t now = pinsight_clock_ns(), ahead = due > now ? due - now : 0;
    clock_gettime(CLOCK_REALTIME, &at);
    at.tv_sec += (time_t)(ahead / 1000000000u);
    at.tv_nsec += (long)(ahead % 1000000000u);
    if (at.tv_nsec >= 1000000000L) {
        at.tv_nsec -= 1000000000L;
        at.tv_sec++;
    }
    while (sem_timedwait(&wake, &at) != 0 && errno == EINTR) {
    }
}

static void control(void);
static struct pinsight_service service = {.name = "pinsight-ctrl", .run = control};

bool pinsight_control_is_this(void) {
    return pinsight_service_is_this(&service);
}

static void control(void) {
    while (!pinsight_service_leaves(&service)) {
        uint64_t due = pinsight_windows_due(pinsight_clock_ns());
        uint64_t tend = pinsight_domains_tend();
        due = tend && (!due || tend < due) ? tend : due;
        int64_t script = pinsight_introspect_due();
        if (script >= 0) {
            uint64_t then = pinsight_clock_ns() + (uint64_t)script;
            due = due && due < then ? due : then;
        }
        sleep_until(due);
        if (pinsight_signal_came(PINSIGHT_SIGNAL_RELOAD))
            reload_by_signal();
        bool by_signal = pinsight_signal_came(PINSIGHT_SIGNAL_DUMP);
        if (pinsight_dump_wanted() || by_signal)
            pinsight_dump();
        for (struct item *item; (item = next_item());) {
            carry_out(&item->order, &item->answer);
            finish(item);
        }
        pinsight_introspect_tend();
    }
}

static _Atomic bool started; /* set once in a process and its children; checked first */
static _Atomic int32_t of;

void pinsight_control_start(void) {
    if (atomic_load(&of) == pinsight_process.pid && atomic_load(&started))
        return;
    pthread_mutex_lock(&lock);
    if (!pinsight_service_is_there(&service) && !ended && !pinsight_process.silent) {
        if (!atomic_load(&started))
            sem_init(&wake, 0, 0);
        pinsight_service_start(&service);
        if (pinsight_threads_may_start())
            pinsight_listener_start(); /* reports if no thread can be made */
        atomic_store(&started, true);
        atomic_store(&of, pinsight_process.pid);
    }
    pthread_mutex_unlock(&lock);
}

void pinsight_control_fork_child(void) {
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    done = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    first = NULL; /* the queue is the parent's */
    last = &first;
    pinsight_service_fork_child(&service);
    /* The child also gets a signal that the parent's thread had not seen. It needs a wake-up for
     * it, because handlers wake only for the first unseen signal. */
    sem_init(&wake, 0, pinsight_signals_fork_child() ? 1 : 0);
    pinsight_dump_fork_child();
    pinsight_listener_fork_child();
    pinsight_introspect_fork_child();
}

/* ---- a process with one thread ---- */

/* The program waits meanwhile. The wait has a limit, because an order may need the GIL, which the
 * program may hold. */
#define REST_NS 200000000u
#define STOP_NS 1000000000u

static bool rests;

static void rest(void) {
    uint64_t until_ns = pinsight_now_ns() + REST_NS;
    if (pinsight_process.pid != (int32_t)getpid() || pthread_mutex_trylock(&lock) != 0)
        return; /* in the child of vfork(), or in a signal handler */
    rests = pinsight_service_ask(&service);
    pthread_mutex_unlock(&lock);
    if (!rests)
        return;
    pinsight_control_wake();
    pinsight_listener_rest();
    pinsight_service_gone(&service, until_ns);
    pinsight_listener_gone(until_ns);
}

static void resume(void) {
    if (!rests)
        return;
    pthread_mutex_lock(&lock);
    rests = false;
    if (!ended && pinsight_service_start(&service))
        pinsight_listener_start();
    pthread_mutex_unlock(&lock);
}

void pinsight_control_alone(bool begins) {
    int error = errno;
    if (begins)
        rest();
    else
        resume();
    errno = error;
}

void pinsight_control_stop(void) {
    uint64_t until_ns = pinsight_now_ns() + STOP_NS;
    pinsight_introspect_resume();
    pthread_mutex_lock(&lock);
    bool asked = pinsight_service_ask(&service);
    atomic_store(&of, 0);
    pthread_mutex_unlock(&lock);
    if (!asked)
        return;
    pinsight_control_wake();
    pinsight_listener_rest();
    pinsight_service_gone(&service, until_ns);
    pinsight_listener_gone(until_ns);
}

void pinsight_control_end(void) {
    pthread_mutex_lock(&lock);
    ended = true;
    pthread_mutex_unlock(&lock);
    pinsight_introspect_resume();
}

/* ---- orders ---- */

static struct item *put(const struct pinsight_order *order, bool waited_for) {
    struct item *item = calloc(1, sizeof *item);
    if (!item)
        return NULL;
    item->order = *order;
    item->waited_for = waited_for;
    pinsight_control_start();
    pthread_mutex_lock(&lock);
    bool here = pinsight_service_is_there(&service) && !ended;
    if (here) {
        *last = item;
        last = &item->next;
    }
    pthread_mutex_unlock(&lock);
    if (!here) {
        free(item);
        return NULL;
    }
    if (order->kind == PINSIGHT_ORDER_RELOAD || order->kind == PINSIGHT_ORDER_STOP)
        pinsight_introspect_resume(); /* the order waits behind a pause, which must end */
    pinsight_control_wake();
    return item;
}

void pinsight_control_send(const struct pinsight_order *order) {
    put(order, false);
}

/* Returns whether all runtimes have adopted the present settings, and sets *when to the time of the
 * last one. */
static bool all_applied(uint64_t *when) {
    *when = 0;
    PINSIGHT_EACH_DOMAIN(domain) {
        if (!domain->applied_at)
            continue;
        uint64_t then = domain->applied_at(domain);
        if (!then)
            return false;
        if (then > *when)
            *when = then;
    }
    return true;
}

void pinsight_control_ask(const struct pinsight_order *order, unsigned wait_ms,
                          struct pinsight_answer *answer) {
    const struct timespec pause = {.tv_nsec = 200000};
    uint64_t asked = pinsight_clock_ns(), when = 0;
    uint64_t limit = asked + (uint64_t)wait_ms * 1000000u;

    memset(answer, 0, sizeof *answer);
    struct item *item = put(order, true);
    if (!item) {
        answer->failed = true;
        snprintf(answer->message, sizeof answer->message,
                 "the process is ending, or has no memory or threads left");
        return;
    }
    pthread_mutex_lock(&lock);
    while (!item->done)
        pthread_cond_wait(&done, &lock);
    pthread_mutex_unlock(&lock);
    *answer = item->answer;
    free(item);
    if (answer->failed)
        return;
    answer->pending = true;
    do {
        if (all_applied(&when)) {
            answer->pending = false;
            break;
        }
        nanosleep(&pause, NULL);
    } while (pinsight_clock_ns() < limit);
    if (when < asked)
        when = pinsight_clock_ns();
    answer->effect_ns = when - asked;
}

/* Signals that PInsight handles; see signals.h. */
#include "tracer/core/signals.h"

#include "base/forbidden.h"
#include "base/signal_name.h"
#include "format/ring_head.h"
#include "tracer/core/control.h"
#include "tracer/core/introspect.h"
#include "tracer/core/settings.h"
#include "tracer/core/variables.h"
#include "tracer/record/recorder.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

/* The most actions of the program that are kept for a signal. A running handler may read one while
 * the program installs another, so each has its own slot. */
#define BEFORE_MAX 16

/* A signal that PInsight handles. */
struct taken_signal {
    int number; /* 0: none */
    struct sigaction before[BEFORE_MAX];
    _Atomic unsigned now;
};

static struct taken_signal taken[PINSIGHT_SIGNALS];
static _Atomic bool came[PINSIGHT_SIGNALS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int number_of(enum pinsight_signal signal) {
    if (signal == PINSIGHT_SIGNAL_RELOAD)
        return *pinsight_settings_path() ? SIGUSR1 : 0;
    return pinsight_recorder->is_ring && pinsight_recorder->is_ring()
               ? pinsight_signal_number(pinsight_variables_own(PINSIGHT_RING_SIGNAL_VARIABLE))
               : 0;
}

bool pinsight_signals_may_wait(void) {
    return !atomic_load_explicit(&pinsight_signals_are_forbidden, memory_order_relaxed);
}

bool pinsight_signals_wanted(void) {
    return number_of(PINSIGHT_SIGNAL_RELOAD) || number_of(PINSIGHT_SIGNAL_DUMP);
}

bool pinsight_signal_came(enum pinsight_signal signal) {
    return atomic_exchange(&came[signal], false);
}

bool pinsight_signals_fork_child(void) {
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    return atomic_load(&came[PINSIGHT_SIGNAL_RELOAD]) || atomic_load(&came[PINSIGHT_SIGNAL_DUMP]);
}

static void on_signal(int number, siginfo_t *info, void *context) {
    const struct sigaction *before = NULL;
    int kept = errno;

    for (int i = 0; i < PINSIGHT_SIGNALS; i++) {
        if (taken[i].number != number)
            continue;
        if (!atomic_exchange(&came[i], true))
            pinsight_control_wake();
        if (i == PINSIGHT_SIGNAL_RELOAD)
            pinsight_introspect_resume();
        before = before ? before : &taken[i].before[atomic_load(&taken[i].now)];
    }
    errno = kept;
    if (!before)
        return;
    if (before->sa_flags & SA_SIGINFO)
        before->sa_sigaction(number, info, context);
    else if (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN)
        before->sa_handler(number);
}

static void take(struct taken_signal *signal, int number) {
    struct sigaction there;

    if (sigaction(number, NULL, &there) != 0 ||
        ((there.sa_flags & SA_SIGINFO) && there.sa_sigaction == on_signal))
        return;
    /* If the program has a handler, its mask and flags stay: it may rely on whether system calls
     * are interrupted. */
    bool own = (there.sa_flags & SA_SIGINFO) ||
               (there.sa_handler != SIG_DFL && there.sa_handler != SIG_IGN);
    struct sigaction ours = {.sa_sigaction = on_signal};
    ours.sa_mask = there.sa_mask;
    ours.sa_flags = own ? there.sa_flags & ~(int)SA_RESETHAND : SA_RESTART | SA_ONSTACK;
    ours.sa_flags |= SA_SIGINFO;
    unsigned next = (atomic_load(&signal->now) + 1) % BEFORE_MAX;
    signal->before[next] = there;
    atomic_store(&signal->now, next);
    sigaction(number, &ours, NULL);
}

void pinsight_signals_take(void) {
    pthread_mutex_lock(&lock);
    for (int i = 0; i < PINSIGHT_SIGNALS; i++) {
        int number = number_of((enum pinsight_signal)i);
        if (!number)
            continue;
        taken[i].number = number;
        /* If both purposes have the same signal, only the first one keeps the program's action. */
        if (i == PINSIGHT_SIGNAL_RELOAD || taken[PINSIGHT_SIGNAL_RELOAD].number != number)
            take(&taken[i], number);
    }
    pthread_mutex_unlock(&lock);
}

void pinsight_signals_give_back(void) {
    pthread_mutex_lock(&lock);
    for (int i = 0; i < PINSIGHT_SIGNALS; i++) {
        struct sigaction there;
        int number = taken[i].number;
        if (number && sigaction(number, NULL, &there) == 0 && (there.sa_flags & SA_SIGINFO) &&
            there.sa_sigaction == on_signal)
            sigaction(number, &taken[i].before[atomic_load(&taken[i].now)], NULL);
    }
    pthread_mutex_unlock(&lock);
}

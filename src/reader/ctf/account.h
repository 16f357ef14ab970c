/*
 * The account of each traced process: its own count of recorded events, and the number of its
 * events that were found.
 *
 * LTTng gives each process of a run buffers of its own, and therefore a trace of its own below the
 * run's folder. Such a trace has the events of one process, from its start or its fork to its end,
 * or until it executes another program.
 */
#ifndef PINSIGHT_READER_CTF_ACCOUNT_H
#define PINSIGHT_READER_CTF_ACCOUNT_H

#include "reader/ctf/event.h"
#include "reader/ctf/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pinsight_account {
    bool counted;      /* it has an event_count */
    bool ended;        /* the last event_count came at the process's end */
    bool goes_on;      /* the process continues, and has not reported all events */
    bool closed;       /* for account.c */
    bool unclear;      /* not comparable: several processes, or an unknown number was discarded */
    uint32_t instance; /* see event.h */
    int64_t pid;       /* from event_count, else from its first event; 0: unknown */
    uint32_t counter;  /* number of its line in the run's counts; 0: none */
    uint64_t first, last; /* in its event_counts */
    uint64_t found;       /* its events in the trace, without those that it does not count */
    uint64_t discarded;   /* discarded events, by LTTng's own count */
};

/* Notes an event_count of a process. */
void pinsight_account_note(struct pinsight_account *account, const struct pinsight_event *event);

/* Notes an event in a process's trace. */
static inline void pinsight_account_add(struct pinsight_account *account,
                                        const struct pinsight_event *event) {
    if (!account->pid) {
        account->pid = pinsight_event_vpid(event);
        account->instance = event->instance;
    }
    if (event->binding->id == PINSIGHT_EVENT_CORE_EVENT_COUNT)
        pinsight_account_note(account, event);
    else if (event->binding->id != PINSIGHT_EVENT_UNKNOWN &&
             !pinsight_event_is_uncounted(event->binding->id))
        account->found++;
}

/* Adds to the result the missing events of each process, and the processes for which that is
 * unknown. `top` is the folder that was read. folders[i] is the folder of accounts[i], beside which
 * the run's counts are. */
void pinsight_accounts_close(struct pinsight_account *accounts, const char *const *folders,
                             size_t count, const char *top, struct pinsight_source_result *result);

#endif

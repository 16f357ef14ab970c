/* What each traced process said it recorded, held against what was found of it.
 *
 * LTTng gives each process of a run buffers of its own, and so a trace of its own below the run's
 * folder: all of such a trace is of one process, from its start, or its fork, to its end or until
 * it executes another program. */
#ifndef PINSIGHT_READER_CTF_ACCOUNT_H
#define PINSIGHT_READER_CTF_ACCOUNT_H

#include "reader/ctf/event.h"
#include "reader/ctf/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pinsight_account {
    bool counted;      /* it has an event_count */
    bool ended;        /* the last of them came at the process's end */
    bool goes_on;      /* its process does: it has not said all */
    bool closed;       /* for account.c */
    bool unclear;      /* not comparable: several processes, or an unknown number was discarded */
    uint32_t instance; /* see event.h */
    int64_t pid;       /* as its event_counts have it, else as its first event; 0 for none */
    uint32_t counter;  /* the number of its line in the run's counts; 0 for none */
    uint64_t first, last; /* of its event_counts */
    uint64_t found;       /* its events in the trace, without those that no process counts */
    uint64_t discarded;   /* that LTTng itself counted */
};

/* Takes note of what a process says that it counted. */
void pinsight_account_note(struct pinsight_account *account, const struct pinsight_event *event);

/* Takes note of an event of a process's trace. */
static inline void pinsight_account_add(struct pinsight_account *account,
                                        const struct pinsight_event *event) {
    if (!account->pid) {
        account->pid = pinsight_event_vpid(event);
        account->instance = event->instance;
    }
    if (event->binding->id == PINSIGHT_EVENT_CORE_EVENT_COUNT)
        pinsight_account_note(account, event);
    else if (event->binding->id != PINSIGHT_EVENT_UNKNOWN &&
             event->binding->id != PINSIGHT_EVENT_CORE_THREAD_CLOCK &&
             event->binding->id != PINSIGHT_EVENT_CORE_CLOCK_SYNC)
        account->found++;
}

/* Notes in the result what is missing of each process, and of which it is not known whether
 * anything is. `top` is what was read, and folders[i] is the folder of accounts[i]: beside them
 * stands what the processes of a run counted. */
void pinsight_accounts_close(struct pinsight_account *accounts, const char *const *folders,
                             size_t count, const char *top, struct pinsight_source_result *result);

#endif

/* Accounts of traced processes; see account.h. */
#include "reader/ctf/account.h"

#include "base/memory.h"
#include "reader/ctf/counts.h"

/*
 * A count never exceeds the events recorded before it, whichever thread reports it. Therefore the
 * largest count is the best, and the last event shows how the process ended.
 */
void pinsight_account_note(struct pinsight_account *account, const struct pinsight_event *event) {
    int64_t pid = pinsight_event_integer(event, PINSIGHT_CORE_EVENT_COUNT_PID);
    uint64_t events = (uint64_t)pinsight_event_integer(event, PINSIGHT_CORE_EVENT_COUNT_EVENTS);

    if (!account->counted) {
        account->counted = true;
        account->pid = pid;
        account->counter =
            (uint32_t)pinsight_event_integer(event, PINSIGHT_CORE_EVENT_COUNT_COUNTER);
        account->first = account->last = events;
    }
    account->unclear |= account->pid != pid;
    if (events > account->last)
        account->last = events;
    account->ended = pinsight_event_integer(event, PINSIGHT_CORE_EVENT_COUNT_ENDS) != 0;
}

struct closing {
    struct pinsight_counts_list counts;
    struct pinsight_source_result *result;
    size_t capacity;
    uint64_t loose; /* discarded in traces without an event, whose process is unknown */
};

static void note_short(struct closing *closing, const struct pinsight_short_process *process) {
    struct pinsight_source_result *result = closing->result;

    if (process->exact && !process->missing)
        return;
    *PINSIGHT_ADD(result->short_processes, result->short_count, closing->capacity) = *process;
}

/* Returns the line of a process whose trace has no event_count, if only one line has its number. */
static struct pinsight_counts_line *find_by_pid(struct pinsight_counts_read *run, int64_t pid) {
    struct pinsight_counts_line *found = NULL;

    for (size_t i = 0; i < run->count; i++)
        if (run->lines[i].pid == pid && !run->lines[i].claimed) {
            if (found)
                return NULL;
            found = &run->lines[i];
        }
    return found;
}

static void close_account(struct closing *closing, struct pinsight_account *account,
                          struct pinsight_counts_read *run) {
    struct pinsight_counts_line *line = NULL;

    if (run && account->pid > 0)
        line = account->counted ? pinsight_counts_find(run, account->counter, account->pid)
                                : find_by_pid(run, account->pid);
    if (line) {
        line->claimed = true;
        account->counted = true;
        if (line->events > account->last)
            account->last = line->events;
    }
    if (!account->counted)
        closing->loose += account->discarded;
    if (!account->counted || account->unclear)
        return;

    uint64_t there = account->found + account->discarded;
    uint64_t recorded = account->last - account->first;

    note_short(closing, &(struct pinsight_short_process){
                            .pid = account->pid,
                            .instance = account->instance,
                            .missing = recorded > there ? recorded - there : 0,
                            .ended = account->ended,
                            .exact = account->ended || account->goes_on || (line && line->whole),
                        });
}

/* Notes processes with counts whose events are in no readable trace. */
static void close_unclaimed(struct closing *closing, struct pinsight_counts_read *run) {
    for (size_t i = 0; i < run->count; i++) {
        const struct pinsight_counts_line *line = &run->lines[i];
        uint64_t less = line->events < closing->loose ? line->events : closing->loose;

        if (line->claimed || !line->events)
            continue;
        closing->loose -= less;
        note_short(closing, &(struct pinsight_short_process){.pid = line->pid,
                                                             .missing = line->events - less,
                                                             .exact = line->whole});
    }
}

void pinsight_accounts_close(struct pinsight_account *accounts, const char *const *folders,
                             size_t count, const char *top, struct pinsight_source_result *result) {
    struct closing closing = {.result = result};
    bool all = true; /* every readable trace has found its line */

    pinsight_counts_of(&closing.counts, top, top);
    /* First those whose events name their line. */
    for (int counted = 1; counted >= 0; counted--)
        for (size_t i = 0; i < count; i++) {
            if (accounts[i].counted != counted || accounts[i].closed)
                continue;
            accounts[i].closed = true;
            close_account(&closing, &accounts[i],
                          pinsight_counts_of(&closing.counts, top, folders[i]));
            all &= !accounts[i].unclear && (accounts[i].counted || !accounts[i].found);
        }
    for (size_t i = 0; i < closing.counts.count && all; i++)
        close_unclaimed(&closing, &closing.counts.runs[i]);
    pinsight_counts_clear(&closing.counts);
}

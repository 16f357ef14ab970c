/* The report's section on waits for locks. */
#include "base/memory.h"
#include "base/order.h"
#include "reader/python/gil.h"
#include "views/python/python.h"
#include "views/report/call_place.h"
#include "views/report/sections.h"
#include "views/report/tables.h"

#include <stdlib.h>
#include <string.h>

/* Locks that were made at one place. If that is unknown, the place is that of their first wait. */
struct lock_row {
    uint32_t id; /* from 1 */
    const struct pinsight_process *process;
    struct python_call_place place;
    bool made;
    uint64_t locks;
    struct pinsight_lock_sums sums;
};

/* Waits for these locks at one place, that ended by a release at another. */
struct wait_row {
    uint32_t id; /* of the lock's row */
    struct python_call_place place, holder;
    struct pinsight_lock_sums sums;
};

struct rows {
    struct lock_row *locks;
    size_t lock_count;
    struct wait_row *waits;
    size_t wait_count;
};

ORDER(by_place, struct lock_row,
      python_call_place_compare(&a->place, &b->place) ?: BY(a->process->index, b->process->index)
          ?: BY(b->made, a->made))
ORDER(by_time, struct lock_row, BY(b->sums.wait_ns, a->sums.wait_ns) ?: by_place(a, b))
ORDER(by_places, struct wait_row,
      BY(a->id, b->id) ?: python_call_place_compare(&a->place, &b->place)
          ?: python_call_place_compare(&a->holder, &b->holder))
ORDER(by_wait_time, struct wait_row, BY(b->sums.wait_ns, a->sums.wait_ns) ?: by_places(a, b))

static void add(struct pinsight_lock_sums *to, const struct pinsight_lock_sums *from) {
    to->waits += from->waits;
    to->wait_ns += from->wait_ns;
    to->timed_out += from->timed_out;
    to->interrupted += from->interrupted;
    to->open += from->open;
    if (from->longest_ns > to->longest_ns)
        to->longest_ns = from->longest_ns;
}

/* Merges locks of the model that share a place. Sets `ids` to the row of each lock, from 1. */
static void make_locks(const struct pinsight_report *report,
                       const struct pinsight_python_locks *locks, struct rows *rows,
                       uint32_t *ids) {
    struct lock_row *all = pinsight_calloc(locks->count + 1, sizeof(*all));
    uint32_t *row_of = pinsight_calloc(locks->count + 1, sizeof(*row_of));

    for (size_t i = 0; i < locks->count; i++)
        all[i] = (struct lock_row){.id = (uint32_t)i,
                                   .process = locks->locks[i].process,
                                   .place = python_call_place(report, locks->locks[i].path),
                                   .made = locks->locks[i].made,
                                   .locks = locks->locks[i].locks,
                                   .sums = locks->locks[i].sums};
    PINSIGHT_SORT(all, locks->count, by_place);
    rows->locks = pinsight_calloc(locks->count + 1, sizeof(*rows->locks));
    for (size_t i = 0; i < locks->count; i++) {
        struct lock_row *last = rows->lock_count ? &rows->locks[rows->lock_count - 1] : NULL;

        if (last && by_place(last, &all[i]) == 0) {
            last->locks += all[i].locks;
            add(&last->sums, &all[i].sums);
        } else {
            rows->locks[rows->lock_count] = all[i];
            rows->locks[rows->lock_count].id = (uint32_t)rows->lock_count;
            rows->lock_count++;
        }
        row_of[all[i].id] = (uint32_t)rows->lock_count - 1;
    }
    PINSIGHT_SORT(rows->locks, rows->lock_count, by_time);
    for (size_t i = 0; i < rows->lock_count; i++)
        ids[rows->locks[i].id] = (uint32_t)i + 1;
    for (size_t i = 0; i < rows->lock_count; i++)
        rows->locks[i].id = (uint32_t)i + 1;
    for (size_t i = 0; i < locks->count; i++)
        row_of[i] = ids[row_of[i]];
    memcpy(ids, row_of, locks->count * sizeof(*ids));
    free(row_of);
    free(all);
}

static void make_waits(const struct pinsight_report *report,
                       const struct pinsight_python_locks *locks, struct rows *rows,
                       const uint32_t *ids) {
    struct wait_row *all = pinsight_calloc(locks->wait_count + 1, sizeof(*all));
    size_t used = 0;

    for (size_t i = 0; i < locks->wait_count; i++) {
        const struct pinsight_lock_wait *wait = &locks->waits[i];

        all[i] = (struct wait_row){.id = ids[wait->lock],
                                   .place = python_call_place(report, wait->path),
                                   .holder = python_call_place(report, wait->holder),
                                   .sums = wait->sums};
    }
    PINSIGHT_SORT(all, locks->wait_count, by_places);
    for (size_t i = 0; i < locks->wait_count; i++) {
        if (used && by_places(&all[used - 1], &all[i]) == 0)
            add(&all[used - 1].sums, &all[i].sums);
        else
            all[used++] = all[i];
    }
    PINSIGHT_SORT(all, used, by_wait_time);
    rows->waits = all;
    rows->wait_count = used;
}

static struct rows make_both(const struct pinsight_report *report) {
    const struct pinsight_python *python = pinsight_model_python(report->model);
    struct rows rows = {0};
    uint32_t *ids;

    if (!python)
        return rows;
    ids = pinsight_calloc(python->locks.count + 1, sizeof(*ids));
    make_locks(report, &python->locks, &rows, ids);
    make_waits(report, &python->locks, &rows, ids);
    free(ids);
    return rows;
}

static struct pinsight_rows lock_rows(const void *report) {
    struct rows rows = make_both(report);

    free(rows.waits);
    return PINSIGHT_MADE_ROWS(rows.locks, rows.lock_count);
}

static struct pinsight_rows wait_rows(const void *report) {
    struct rows rows = make_both(report);

    free(rows.locks);
    return PINSIGHT_MADE_ROWS(rows.waits, rows.wait_count);
}

#define L(member) MEMBER(struct pinsight_lock_sums, member)
static const struct pinsight_column sums_columns[] = {
    WAIT_COLUMNS(L),
    FIELDS(COUNT, L, timed_out, interrupted, open),
};
static const struct pinsight_table sums = {PINSIGHT_COLUMNS(sums_columns)};
#define SUMS "waits wait_ns longest_ns timed_out interrupted open"

PYTHON_CALL_PLACE_TABLE(firsts, "", "lock", "(not known)");

PYTHON_CALL_PLACE_TABLE(places, "", "waited in", "(not known)");

PYTHON_CALL_PLACE_TABLE(holders, "holder_", "until let go in", "-");

VALUE(known_by, struct lock_row, pinsight_value_text(row->made ? "making" : "first wait"))

#define R(member) MEMBER(struct lock_row, member)
static const struct pinsight_column lock_columns[] = {
    COLUMN("lock", "number", ID, R(id)),
    INNER(NULL, &pinsight_pid_table, R(process), .pointer = true),
    INNER(NULL, &firsts, R(place)),
    GETTER("known_by", "place of", TEXT, known_by),
    FIELD(BOOL, R, made),
    COLUMN("locks", "locks", COUNT, R(locks)),
    INNER(NULL, &sums, R(sums)),
};

static const struct pinsight_table lock_table = {
    PINSIGHT_TITLED("Locks that threads waited for", "by time", "locks", lock_columns),
    .make = lock_rows,
    .screen = "wait_ns waits longest_ns locks lock process place known_by where",
    .json = "lock pid function file line through made locks " SUMS,
};

#define W(member) MEMBER(struct wait_row, member)
static const struct pinsight_column wait_columns[] = {
    COLUMN("lock", "lock", ID, W(id)),
    INNER(NULL, &places, W(place)),
    INNER(NULL, &holders, W(holder)),
    INNER(NULL, &sums, W(sums)),
};

static const struct pinsight_table wait_table = {
    PINSIGHT_TITLED("Who waited where, until who let go", "by time", "waits", wait_columns),
    .make = wait_rows,
    .screen = "wait_ns waits longest_ns lock place where holder_place holder_where",
    .files = "lock function file line through holder_function holder_file holder_line "
             "holder_through " SUMS,
};

static bool has_locks(const struct pinsight_report *report) {
    const struct pinsight_python *python = pinsight_model_python(report->model);

    return python && python->locks.count;
}

static const char *none(const struct pinsight_report *report) {
    if (report->only_counted)
        return "Calls were counted (MONITORING): who waits for which lock needs TRACING.";
    return "No thread was seen to wait for a lock.";
}

static const struct pinsight_table *const tables[] = {&lock_table, &wait_table, NULL};
const struct pinsight_section pinsight_section_of_locks = {
    PINSIGHT_SECTION("locks", "Locks", 5, has_locks, none),
    .about = "locks with waits: waiting and releasing lines, and times, in place of the\n"
             "tables",
    .example = "waiting lines, and releasing lines",
    PINSIGHT_SECTION_TABLES("locks", tables, &wait_table),
};

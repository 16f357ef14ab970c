/* Finds why devices were idle; see idle.h. */
#include "views/cuda/idle.h"

#include "base/memory.h"
#include "base/order.h"
#include "reader/cuda/cuda.h"
#include "reader/kit/paths.h"

#include <stdlib.h>

/* A gap that is being divided. */
struct dividing {
    struct pinsight_idle_walk *walk;
    const struct pinsight_idle *gap;
    const struct pinsight_host *first; /* replaces an unknown thread; or NULL */
};

static uint64_t settle(void *data, uint64_t before_ns) {
    struct pinsight_idle_walk *walk = data;

    return pinsight_cuda_idle_settle((struct pinsight_model *)walk->hosts.model, before_ns);
}

void pinsight_idle_walk_start(struct pinsight_idle_walk *walk, struct pinsight_model *model) {
    walk->hosts.model = model;
    walk->hosts.settle = settle;
    walk->hosts.data = walk;
    walk->view = pinsight_calloc(1, sizeof(*walk->view));
}

void pinsight_idle_walk_call(struct pinsight_idle_walk *walk, const struct pinsight_track *track,
                             bool python) {
    struct pinsight_host *host = walk->hosts.hosts[track->number];

    pinsight_host_calls(host);
    if (!python)
        return;
    walk->first =
        pinsight_reach(walk->first, host->process, &walk->first_count, sizeof(*walk->first));
    if (!walk->first[host->process])
        walk->first[host->process] = track->number;
}

static struct pinsight_doing doing_of(const struct pinsight_host_state *state) {
    return (struct pinsight_doing){.place = {state->function, state->line},
                                   .callee = state->callee,
                                   .callee_kind = state->callee_kind,
                                   .cause = state->cause};
}

static struct pinsight_idle_row *row_of(struct pinsight_idle_walk *walk, uint32_t device,
                                        uint32_t number) {
    const struct pinsight_host_state *state = &walk->hosts.states[number];
    struct pinsight_idle_view *view = walk->view;

    return PINSIGHT_KEYED(&walk->row_map, device, number, 0, view->rows, view->count,
                          view->capacity, .device = device, .doing = doing_of(state));
}

/* Returns the line of a function in a path; 0 if the path lacks the function. */
static int32_t line_in(const struct pinsight_model *model, uint32_t path, uint32_t function) {
    for (size_t i = 0; path != PINSIGHT_NONE && i < PINSIGHT_PATH_DEEPEST; i++) {
        if (model->paths[path].function == function)
            return model->paths[path].line;
        path = model->paths[path].parent;
    }
    return 0;
}

static void add(const struct dividing *dividing, uint32_t state, uint64_t ns) {
    struct pinsight_idle_view *view = dividing->walk->view;
    struct pinsight_idle_row *row = row_of(dividing->walk, dividing->gap->device, state);

    if (row->gap != view->gaps) {
        row->gap = view->gaps;
        row->gap_ns = 0;
        row->gaps++;
    }
    row->ns += ns;
    row->gap_ns += ns;
    if (row->gap_ns <= row->longest_ns)
        return;
    row->longest_ns = row->gap_ns;
    if (!row->doing.place.line && row->doing.place.function != PINSIGHT_NONE)
        row->doing.before =
            line_in(dividing->walk->hosts.model, dividing->gap->path, row->doing.place.function);
}

/* Returns the state of the call that requested the work, with a cause. */
static uint32_t state_of_call(const struct dividing *dividing, enum pinsight_idle_cause cause) {
    struct pinsight_hosts *hosts = &dividing->walk->hosts;
    struct pinsight_host_state state = pinsight_host_state_in(
        hosts, (struct pinsight_host_state){.function = PINSIGHT_NONE, .callee = PINSIGHT_NONE},
        dividing->gap->path);

    state.cause = (uint8_t)cause;
    if (dividing->gap->site != PINSIGHT_NONE) {
        state.callee_kind = PINSIGHT_CALLEE_CUDA;
        state.callee = pinsight_model_cuda(hosts->model)->sites[dividing->gap->site].function;
    }
    return pinsight_host_state(hosts, &state);
}

/* Adds a part of a gap in which the thread was in one state. */
static void add_state(const struct dividing *dividing, uint32_t state, uint64_t ns) {
    uint64_t gap_ns = pinsight_time_rest(dividing->gap->end_ns, dividing->gap->begin_ns);
    unsigned cause = dividing->walk->hosts.states[state].cause;
    bool runs = cause == PINSIGHT_IDLE_PYTHON || cause == PINSIGHT_IDLE_CALL ||
                cause == PINSIGHT_IDLE_NOTHING;

    if (gap_ns < PINSIGHT_IDLE_SHORT_NS && runs && dividing->gap->site != PINSIGHT_NONE)
        state = state_of_call(dividing, PINSIGHT_IDLE_LAUNCHES);
    else if (cause == PINSIGHT_IDLE_NOTHING)
        state = state_of_call(dividing, PINSIGHT_IDLE_NOTHING);
    add(dividing, state, ns);
}

/* Divides the time between two moments by the states of a thread. The process's first thread
 * replaces it while its state is unknown. */
static void divide(const struct dividing *dividing, const struct pinsight_host *host,
                   uint64_t from_ns, uint64_t to_ns) {
    const struct pinsight_host_entry *end = host ? host->entries + host->count : NULL;
    const struct pinsight_host_entry *entry = host ? pinsight_host_at(host, from_ns) : NULL;

    while (from_ns < to_ns) {
        const struct pinsight_host_entry *next = entry ? entry + 1 : host ? host->entries : end;
        uint64_t until = next != end && next->ns < to_ns ? next->ns : to_ns;
        uint32_t state = entry ? entry->state : 0;

        if (!state && host != dividing->first)
            divide(dividing, dividing->first, from_ns, until);
        else
            add_state(dividing, state, until - from_ns);
        if (entry && entry->coarse)
            dividing->walk->view->coarse_ns += until - from_ns;
        from_ns = until;
        entry = next;
    }
}

/* Returns a thread that called CUDA, or NULL. */
static const struct pinsight_host *host_of(const struct pinsight_hosts *hosts, uint32_t track) {
    const struct pinsight_host *host = track < hosts->host_count ? hosts->hosts[track] : NULL;

    return host && host->calls ? host : NULL;
}

void pinsight_idle_walk_gap(struct pinsight_idle_walk *walk, const struct pinsight_idle *gap) {
    uint64_t asked = gap->site == PINSIGHT_NONE ? gap->end_ns : gap->asked_ns;
    struct dividing dividing = {walk, gap, NULL};
    const struct pinsight_host *host = host_of(&walk->hosts, gap->track);

    if (!walk->hosts.state_count)
        (void)pinsight_host_state(
            &walk->hosts,
            &(struct pinsight_host_state){.function = PINSIGHT_NONE, .callee = PINSIGHT_NONE});
    walk->view->gaps++;
    if (gap->process < walk->first_count)
        dividing.first = host_of(&walk->hosts, walk->first[gap->process]);
    if (!host)
        host = dividing.first;
    if (asked < gap->begin_ns)
        asked = gap->begin_ns;
    divide(&dividing, host, gap->begin_ns, asked);
    if (asked < gap->end_ns)
        add(&dividing, state_of_call(&dividing, PINSIGHT_IDLE_ASKED), gap->end_ns - asked);
}

static int compare(const struct pinsight_doing *a, const struct pinsight_doing *b) {
    return BY(a->cause, b->cause) ?: BY(a->place.function, b->place.function)
        ?: BY(a->place.line, b->place.line) ?: BY(a->callee_kind, b->callee_kind)
        ?: BY(a->callee, b->callee);
}

/* Rows with one cause and place are adjacent. */
ORDER(by_place, struct pinsight_idle_row, BY(a->device, b->device) ?: compare(&a->doing, &b->doing))

static bool is_same(const struct pinsight_idle_row *a, const struct pinsight_idle_row *b) {
    return !by_place(a, b);
}

/* Sets unknown lines to those of equal calls, and merges rows that are equal now. */
static void find_lines(struct pinsight_idle_walk *walk) {
    struct pinsight_idle_view *view = walk->view;
    size_t count = 0;

    for (size_t i = 0; i < view->count; i++) {
        struct pinsight_idle_row *row = &view->rows[i];

        if (!row->doing.place.line)
            row->doing.place.line = pinsight_host_line(
                &walk->hosts, &(struct pinsight_host_state){.function = row->doing.place.function,
                                                            .callee = row->doing.callee,
                                                            .callee_kind = row->doing.callee_kind});
    }
    PINSIGHT_SORT(view->rows, view->count, by_place);
    for (size_t i = 0; i < view->count; i++) {
        struct pinsight_idle_row *row = &view->rows[i];
        struct pinsight_idle_row *last = count ? &view->rows[count - 1] : NULL;

        if (!last || !is_same(last, row)) {
            view->rows[count++] = *row;
            continue;
        }
        last->ns += row->ns;
        last->gaps += row->gaps;
        if (row->longest_ns > last->longest_ns) {
            last->longest_ns = row->longest_ns;
            last->doing.before = row->doing.before;
        }
    }
    view->count = count;
}

ORDER(by_time, struct pinsight_idle_row, BY(b->ns, a->ns) ?: by_place(a, b))

ORDER(by_other_time, struct pinsight_other_row,
      BY(b->ns, a->ns) ?: BY(a->process, b->process) ?: compare(&a->doing, &b->doing))

static void add_others(struct pinsight_idle_walk *walk, const struct pinsight_host *host) {
    struct pinsight_idle_view *view = walk->view;

    for (size_t i = 0; i < host->sum_count; i++) {
        const struct pinsight_host_state *state = &walk->hosts.states[host->sums[i].state];
        int32_t line = state->line ? state->line : pinsight_host_line(&walk->hosts, state);
        uint32_t number = pinsight_host_state(
            &walk->hosts, &(struct pinsight_host_state){state->function, line, state->callee,
                                                        state->callee_kind, state->cause});
        uint32_t at =
            pinsight_map_number(&walk->other_map, host->process, number, 0, view->other_count);

        state = &walk->hosts.states[number];
        if (at == view->other_count)
            *PINSIGHT_ADD(view->others, view->other_count, view->other_capacity) =
                (struct pinsight_other_row){.process = host->process, .doing = doing_of(state)};
        view->others[at].ns += host->sums[i].ns;
    }
}

static void gather_others(struct pinsight_idle_walk *walk) {
    for (size_t i = 0; i < walk->hosts.host_count; i++)
        if (walk->hosts.hosts[i] && !walk->hosts.hosts[i]->calls)
            add_others(walk, walk->hosts.hosts[i]);
    PINSIGHT_SORT(walk->view->others, walk->view->other_count, by_other_time);
}

struct pinsight_idle_view *pinsight_idle_walk_end(struct pinsight_idle_walk *walk) {
    struct pinsight_idle_view *view = walk->view;

    if (!view)
        return NULL;
    find_lines(walk);
    gather_others(walk);
    PINSIGHT_SORT(view->rows, view->count, by_time);
    pinsight_hosts_clear(&walk->hosts);
    pinsight_map_clear(&walk->row_map);
    pinsight_map_clear(&walk->other_map);
    free(walk->first);
    *walk = (struct pinsight_idle_walk){0};
    return view;
}

void pinsight_idle_free(struct pinsight_idle_view *view) {
    if (view)
        PINSIGHT_FREE(view->rows, view->others, view);
}

const char *pinsight_idle_cause_word(unsigned cause) {
    static const char *const words[] = {
        [PINSIGHT_IDLE_NOTHING] = "not known",
        [PINSIGHT_IDLE_PYTHON] = "Python",
        [PINSIGHT_IDLE_LOADER] = "data loader",
        [PINSIGHT_IDLE_GIL] = "GIL",
        [PINSIGHT_IDLE_LOCK] = "lock",
        [PINSIGHT_IDLE_GC] = "garbage collection",
        [PINSIGHT_IDLE_IMPORT] = "import",
        [PINSIGHT_IDLE_NATIVE] = "native",
        [PINSIGHT_IDLE_SYNC] = "synchronisation",
        [PINSIGHT_IDLE_COPY] = "copy",
        [PINSIGHT_IDLE_MEMORY] = "memory",
        [PINSIGHT_IDLE_MODULE] = "loading kernels",
        [PINSIGHT_IDLE_CALL] = "CUDA call",
        [PINSIGHT_IDLE_LAUNCHES] = "small launches",
        [PINSIGHT_IDLE_ASKED] = "launch latency",
    };

    return cause < PINSIGHT_IDLE_CAUSES ? words[cause] : "?";
}

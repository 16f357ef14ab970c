/* Keeps the states of threads; see hosts.h. */
#include "views/cuda/hosts.h"

#include "base/memory.h"
#include "reader/cuda/cuda.h"
#include "reader/kit/paths.h"

#include <stdlib.h>
#include <string.h>

uint32_t pinsight_host_state(struct pinsight_hosts *hosts,
                             const struct pinsight_host_state *state) {
    uint32_t place = pinsight_map_number(&hosts->place_map, state->function, (uint32_t)state->line,
                                         state->callee_kind, hosts->places);
    uint32_t number;

    hosts->places += place == hosts->places;
    number = pinsight_map_number(&hosts->state_map, place, state->cause, state->callee,
                                 hosts->state_count);
    if (number == hosts->state_count)
        *PINSIGHT_ADD(hosts->states, hosts->state_count, hosts->state_capacity) = *state;
    return number;
}

static void make_nothing(struct pinsight_hosts *hosts) {
    if (!hosts->state_count)
        pinsight_host_state(hosts, &(struct pinsight_host_state){.function = PINSIGHT_NONE,
                                                                 .callee = PINSIGHT_NONE,
                                                                 .cause = PINSIGHT_IDLE_NOTHING});
}

struct pinsight_host *pinsight_host_new(struct pinsight_hosts *hosts,
                                        const struct pinsight_track *track) {
    struct pinsight_host *host = pinsight_calloc(1, sizeof(*host));

    make_nothing(hosts);
    host->hosts = hosts;
    host->process = pinsight_track_process(track)->index;
    hosts->hosts = pinsight_reach(hosts->hosts, track->number, &hosts->host_count,
                                  sizeof(struct pinsight_host *));
    hosts->hosts[track->number] = host;
    return host;
}

void pinsight_hosts_clear(struct pinsight_hosts *hosts) {
    for (size_t i = 0; i < hosts->host_count; i++) {
        struct pinsight_host *host = hosts->hosts[i];

        if (!host)
            continue;
        pinsight_map_clear(&host->sum_map);
        PINSIGHT_FREE(host->entries, host->sums, host->stack, host);
    }
    pinsight_map_clear(&hosts->place_map);
    pinsight_map_clear(&hosts->state_map);
    pinsight_map_clear(&hosts->line_map);
    PINSIGHT_FREE(hosts->hosts, hosts->states, hosts->users, hosts->loaders);
}

/* ---- lists ---- */

/* Joins pairs among the first `count` entries. A joined entry has the state of the longer one. */
static void join(struct pinsight_host *host, size_t count) {
    struct pinsight_host_entry *entries = host->entries;
    size_t to = 0;

    for (size_t i = 0; i + 1 < count; i += 2) {
        uint64_t first = entries[i + 1].ns - entries[i].ns;
        uint64_t second = entries[i + 2].ns - entries[i + 1].ns;

        entries[to++] = (struct pinsight_host_entry){
            entries[i].ns, first < second ? entries[i + 1].state : entries[i].state, true};
    }
    memmove(entries + to, entries + 2 * to, (host->count - 2 * to) * sizeof(*entries));
    host->count -= to;
}

static void make_room(struct pinsight_host *host) {
    uint64_t since = host->hosts->settle(host->hosts->data, host->entries[host->count / 2].ns);
    size_t first = 0;

    while (first + 1 < host->count && host->entries[first + 1].ns <= since)
        first++;
    host->count -= first;
    memmove(host->entries, host->entries + first, host->count * sizeof(*host->entries));
    if (host->count > PINSIGHT_HOST_STATES / 4 * 3)
        join(host, host->count / 2);
}

/* Counts the current state of a thread that does not call CUDA, and enters another state. */
static void count(struct pinsight_host *host, uint32_t state, uint64_t ns) {
    uint64_t from = host->hosts->since_ns;
    uint64_t since = host->last.ns > from ? host->last.ns : from;
    uint32_t at;

    if (host->last.state && ns > since) {
        at = pinsight_map_number(&host->sum_map, host->last.state, 0, 0, host->sum_count);
        if (at == host->sum_count)
            *PINSIGHT_ADD(host->sums, host->sum_count, host->sum_capacity) =
                (struct pinsight_host_sum){.state = host->last.state};
        host->sums[at].ns += ns - since;
    }
    host->last = (struct pinsight_host_entry){.ns = ns, .state = state};
}

static void enter(struct pinsight_host *host, uint32_t state, uint64_t ns) {
    struct pinsight_host_entry *last = host->count ? &host->entries[host->count - 1] : NULL;

    if (!host->calls) {
        if (state != host->last.state)
            count(host, state, ns);
        return;
    }
    if (last && (last->state == state || last->ns == ns)) {
        last->state = state;
        return;
    }
    if (host->count == PINSIGHT_HOST_STATES)
        make_room(host);
    *PINSIGHT_ADD(host->entries, host->count, host->capacity) =
        (struct pinsight_host_entry){.ns = ns, .state = state};
}

void pinsight_host_calls(struct pinsight_host *host) {
    host->calls = true;
    for (size_t i = 0; i < host->depth; i++)
        enter(host, host->stack[i].state, host->stack[i].ns);
}

const struct pinsight_host_entry *pinsight_host_at(const struct pinsight_host *host, uint64_t ns) {
    size_t low = 0, high = host->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (host->entries[middle].ns <= ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &host->entries[low - 1] : NULL;
}

/* ---- states ---- */

static bool is_loader(struct pinsight_hosts *hosts, uint32_t function) {
    const struct pinsight_model *model = hosts->model;
    uint8_t *known;

    hosts->loaders = pinsight_reach(hosts->loaders, function, &hosts->loader_count, 1);
    known = &hosts->loaders[function];
    if (!*known && model->functions[function].known)
        *known = strstr(pinsight_strings_text(&model->strings, model->functions[function].file),
                        "/torch/utils/data/")
                     ? 1
                     : 2;
    return *known == 1;
}

static uint32_t users_line(struct pinsight_hosts *hosts, uint32_t path) {
    uint32_t *known;

    hosts->users = pinsight_reach(hosts->users, path, &hosts->user_count, sizeof(*known));
    known = &hosts->users[path];
    if (!*known)
        *known = pinsight_path_users_line(hosts->model, path) + 1;
    return *known - 1;
}

struct pinsight_host_state pinsight_host_state_in(struct pinsight_hosts *hosts,
                                                  struct pinsight_host_state state, uint32_t path) {
    uint32_t frame = path == PINSIGHT_NONE ? PINSIGHT_NONE : users_line(hosts, path);

    if (frame != PINSIGHT_NONE) {
        state.function = hosts->model->paths[frame].function;
        state.line = hosts->model->paths[frame].line;
    }
    return state;
}

static struct pinsight_host_state in_function(struct pinsight_host *host,
                                              struct pinsight_host_state state, uint32_t id,
                                              uint32_t users) {
    if (state.function != users || id == users || state.cause == PINSIGHT_IDLE_NOTHING)
        return (struct pinsight_host_state){
            .function = users, .callee = PINSIGHT_NONE, .cause = PINSIGHT_IDLE_PYTHON};
    if (state.callee_kind == PINSIGHT_CALLEE_NONE) {
        state.callee_kind = PINSIGHT_CALLEE_FUNCTION;
        state.callee = id;
    }
    if (state.cause == PINSIGHT_IDLE_PYTHON && is_loader(host->hosts, id))
        state.cause = PINSIGHT_IDLE_LOADER;
    return state;
}

static struct pinsight_host_state in_c(const struct pinsight_host *host,
                                       struct pinsight_host_state state, uint32_t id) {
    const struct pinsight_site *site = &host->hosts->model->sites[id];

    if (state.cause == PINSIGHT_IDLE_NOTHING) {
        state.cause = PINSIGHT_IDLE_PYTHON;
        state.function = site->caller;
    }
    if (state.callee_kind == PINSIGHT_CALLEE_NONE && site->caller == state.function) {
        state.line = site->line;
        state.callee_kind = PINSIGHT_CALLEE_C;
        state.callee = site->callee;
    }
    return state;
}

static enum pinsight_idle_cause cause_of_call(const char *name, unsigned role) {
    static const struct {
        const char *begin;
        enum pinsight_idle_cause cause;
    } causes[] = {
        {"cudaMalloc", PINSIGHT_IDLE_MEMORY},    {"cudaFree", PINSIGHT_IDLE_MEMORY},
        {"cudaModule", PINSIGHT_IDLE_MODULE},    {"cudaMemcpy", PINSIGHT_IDLE_COPY},
        {"cudaMemPrefetch", PINSIGHT_IDLE_COPY},
    };

    if (role == PINSIGHT_CUDA_WAITS)
        return PINSIGHT_IDLE_SYNC;
    for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
        if (!strncmp(name, causes[i].begin, strlen(causes[i].begin)))
            return causes[i].cause;
    return PINSIGHT_IDLE_CALL;
}

static struct pinsight_host_state in_cuda(const struct pinsight_host *host,
                                          struct pinsight_host_state state, uint32_t id) {
    const struct pinsight_model *model = host->hosts->model;
    const struct pinsight_cuda *cuda = pinsight_model_cuda(model);
    const struct pinsight_cuda_function *function = &cuda->functions[cuda->sites[id].function];

    state.cause = (uint8_t)cause_of_call(pinsight_strings_text(&model->strings, function->name),
                                         function->role);
    state.callee_kind = PINSIGHT_CALLEE_CUDA;
    state.callee = cuda->sites[id].function;
    return state;
}

/* Returns the state of a thread in a slice. `outer` is its state in the slice around it. */
static uint32_t state_of(struct pinsight_host *host, uint32_t outer, enum pinsight_slice_kind kind,
                         uint32_t id, uint32_t path, uint32_t users) {
    struct pinsight_hosts *hosts = host->hosts;
    struct pinsight_host_state state = hosts->states[outer];

    if (state.cause == PINSIGHT_IDLE_GC || state.cause == PINSIGHT_IDLE_IMPORT)
        return outer;
    switch ((unsigned)kind) {
    case PINSIGHT_SLICE_FUNCTION:
        state = in_function(host, state, id, users);
        break;
    case PINSIGHT_SLICE_C_CALL:
        state = in_c(host, state, id);
        break;
    case PINSIGHT_SLICE_DEVICE_CALL:
        state = in_cuda(host, state, id);
        break;
    case PINSIGHT_SLICE_IMPORT:
        state.cause = PINSIGHT_IDLE_IMPORT;
        break;
    case PINSIGHT_SLICE_GC:
        state.cause = PINSIGHT_IDLE_GC;
        break;
    case PINSIGHT_SLICE_GIL:
        state.cause = PINSIGHT_IDLE_GIL;
        break;
    case PINSIGHT_SLICE_LOCK:
        if (state.cause != PINSIGHT_IDLE_LOADER)
            state.cause = PINSIGHT_IDLE_LOCK;
        break;
    case PINSIGHT_SLICE_MARKED:
        return outer;
    default:
        state.cause = PINSIGHT_IDLE_NATIVE;
    }
    state = pinsight_host_state_in(hosts, state, path);
    return pinsight_host_state(hosts, &state);
}

static bool lacks_line(const struct pinsight_host_state *state, uint32_t function) {
    return state->function == function && !state->line &&
           state->callee_kind == PINSIGHT_CALLEE_FUNCTION;
}

int32_t pinsight_host_line(const struct pinsight_hosts *hosts,
                           const struct pinsight_host_state *state) {
    uint32_t line;

    if (state->callee_kind != PINSIGHT_CALLEE_FUNCTION)
        return 0;
    line = pinsight_map_get(&hosts->line_map, state->function, state->callee, 0);
    return line == PINSIGHT_MAP_NONE ? 0 : (int32_t)line;
}

/* Notes the line of an open call. If another call of the same callee has another line, calls
 * without a line get none. */
static void note_line(struct pinsight_host *host, uint32_t function, int32_t line) {
    struct pinsight_hosts *hosts = host->hosts;
    const struct pinsight_host_state *state = &hosts->states[host->stack[host->depth - 1].state];
    uint32_t known;

    if (state->function != function || state->callee_kind != PINSIGHT_CALLEE_FUNCTION)
        return;
    known = pinsight_map_number(&hosts->line_map, function, state->callee, 0, (size_t)line);
    if (known && known != (uint32_t)line)
        pinsight_map_set(&hosts->line_map, function, state->callee, 0, 0);
}

/* A slice within an open call may know the line of that call in the user's function. The line then
 * holds from the callee's begin on. */
static void learn_line(struct pinsight_host *host, uint32_t function, int32_t line) {
    struct pinsight_hosts *hosts = host->hosts;
    struct pinsight_host_state state;
    uint64_t since = UINT64_MAX;
    size_t i;

    for (i = host->depth; i && lacks_line(&hosts->states[host->stack[i - 1].state], function);
         i--) {
        state = hosts->states[host->stack[i - 1].state];
        state.line = line;
        since = host->stack[i - 1].ns;
        host->stack[i - 1].state = pinsight_host_state(hosts, &state);
    }
    for (i = host->count; i && host->entries[i - 1].ns >= since; i--) {
        state = hosts->states[host->entries[i - 1].state];
        if (lacks_line(&state, function)) {
            state.line = line;
            host->entries[i - 1].state = pinsight_host_state(hosts, &state);
        }
    }
}

void pinsight_host_begin(struct pinsight_host *host, enum pinsight_slice_kind kind, uint32_t id,
                         uint32_t path, uint32_t users, uint64_t ns) {
    uint32_t state;

    if (path != PINSIGHT_NONE && host->depth) {
        struct pinsight_host_state at =
            pinsight_host_state_in(host->hosts, host->hosts->states[0], path);

        if (at.line > 0) {
            note_line(host, at.function, at.line);
            learn_line(host, at.function, at.line);
        }
    }
    state =
        state_of(host, host->depth ? host->stack[host->depth - 1].state : 0, kind, id, path, users);
    *PINSIGHT_ADD(host->stack, host->depth, host->stack_capacity) =
        (struct pinsight_host_entry){.ns = ns, .state = state};
    enter(host, state, ns);
}

void pinsight_host_end(struct pinsight_host *host, uint64_t ns) {
    if (!host->depth)
        return;
    host->depth--;
    enter(host, host->depth ? host->stack[host->depth - 1].state : 0, ns);
}

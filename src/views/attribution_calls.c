/* Attributes calls of the user's lines, and imports. A call belongs to the innermost function of
 * the user's at its begin, and ends with the callee. Code that the callee calls is part of the
 * call, until another function of the user's begins. */
#include "views/attribution_track.h"

#include "base/memory.h"
#include "reader/kit/paths.h"

static struct pinsight_walk_call *add(struct pinsight_attribution_walk *walk,
                                      struct pinsight_walk_call call) {
    uint32_t key = call.id << 1 | (call.kind == PINSIGHT_FUNCTION);
    uint32_t place = pinsight_map_number(&walk->call_map, call.function, (uint32_t)call.line, key,
                                         walk->call_count);

    if (place == walk->call_count)
        *PINSIGHT_ADD(walk->calls, walk->call_count, walk->call_capacity) = call;
    return &walk->calls[place];
}

/* Returns the number, from 1, of a call that a function of the user's makes. */
static uint32_t number_of(struct pinsight_attribution_walk *walk, uint32_t users,
                          enum pinsight_kind kind, uint32_t id, int32_t line) {
    const struct pinsight_site *site;
    uint32_t *at;

    if (kind == PINSIGHT_FUNCTION)
        return (uint32_t)(add(walk, (struct pinsight_walk_call){.function = users,
                                                                .line = line,
                                                                .kind = PINSIGHT_FUNCTION,
                                                                .id = id}) -
                          walk->calls) +
               1;
    walk->call_at = pinsight_reach(walk->call_at, id, &walk->call_at_count, sizeof(*at));
    at = &walk->call_at[id];
    site = &walk->model->sites[id];
    if (!*at)
        *at = (uint32_t)(add(walk, (struct pinsight_walk_call){.function = users,
                                                               .line = site->line,
                                                               .kind = PINSIGHT_C_CALL,
                                                               .id = site->callee}) -
                         walk->calls) +
              1;
    return *at;
}

void pinsight_walk_place(struct pinsight_attribution_walk *walk, struct pinsight_walk_frame *frame,
                         const struct pinsight_walk_frame *outer, enum pinsight_kind kind,
                         uint32_t id, int32_t line, uint8_t whose) {
    const bool is_users = kind == PINSIGHT_FUNCTION && whose == OF_USERS;
    /* A function of the user's that has no frame makes the call. */
    const bool hidden = outer && kind == PINSIGHT_C_CALL && frame->users != outer->users;
    const uint32_t users = outer ? (hidden ? frame : outer)->users : PINSIGHT_NONE;
    const bool by_users = hidden || (users != PINSIGHT_NONE && !outer->outermost && !outer->call);

    frame->begins = 0;
    if (is_users)
        frame->importing = false;
    if (frame->importing || is_users)
        frame->call = 0;
    if (!by_users || outer->importing || frame->importing ||
        (kind == PINSIGHT_C_CALL && walk->model->sites[id].caller != users))
        return;
    frame->begins = number_of(walk, users, kind, id, line);
    frame->call = is_users ? 0 : frame->begins;
    walk->calls[frame->begins - 1].calls++;
}

void pinsight_walk_call_add(struct pinsight_attribution_walk *walk,
                            const struct pinsight_walk_frame *frame, uint64_t ns, uint64_t away_ns,
                            uint64_t ready_ns, uint64_t total_ns) {
    if (frame->begins)
        walk->calls[frame->begins - 1].total_ns += total_ns;
    if (!frame->call)
        return;
    walk->calls[frame->call - 1].ns += ns;
    walk->calls[frame->call - 1].away_ns += away_ns;
    walk->calls[frame->call - 1].ready_ns += ready_ns;
    if (frame->category == PINSIGHT_WALK_NATIVE) {
        walk->calls[frame->call - 1].native_ns += ns;
        walk->calls[frame->call - 1].native_away_ns += away_ns;
        walk->calls[frame->call - 1].native_ready_ns += ready_ns;
    }
    if (frame->begins && frame->category == PINSIGHT_WALK_C)
        walk->calls[frame->call - 1].c_ns += ns;
}

void pinsight_walk_import_begin(const struct pinsight_attribution_walk *walk,
                                struct pinsight_walk_frame *frame, uint32_t module, uint32_t path) {
    frame->call = 0;
    if (frame->importing)
        return;
    frame->importing = true;
    frame->module = module;
    frame->place = path == PINSIGHT_NONE ? path : pinsight_path_users_line(walk->model, path);
}

void pinsight_walk_import_end(struct pinsight_attribution_walk *walk,
                              const struct pinsight_walk_track *own,
                              const struct pinsight_walk_frame *frame,
                              const struct pinsight_walk_import *took) {
    const struct pinsight_process *process = own->sums.thread->process;
    struct pinsight_walk_import *import =
        PINSIGHT_KEYED(&walk->import_map, frame->module, process->index, frame->place,
                       walk->imports, walk->import_count, walk->import_capacity,
                       .module = frame->module, .place = frame->place, .process = process);

    import->python_ns += took->python_ns;
    import->c_ns += took->c_ns;
    pinsight_attribution_away_add(&import->away, &took->away);
}

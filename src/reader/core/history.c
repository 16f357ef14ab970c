/* Lists of changes, in the order of their events. */
#include "reader/core/history.h"

#include "base/memory.h"
#include "reader/functions.h"

#include <stdlib.h>

void pinsight_history_add(struct pinsight_history *history, const struct pinsight_change *change) {
    *PINSIGHT_ADD(history->changes, history->change_count, history->change_capacity) = *change;
}

void pinsight_history_window(struct pinsight_history *history,
                             const struct pinsight_past_window *window) {
    bool is_c = window->kind == PINSIGHT_C_CALL;

    if (window->cause == PINSIGHT_WINDOW_LEFT_OUT)
        pinsight_map_set(&history->left_out, window->name, is_c ? 0 : window->file,
                         is_c ? 0 : (uint32_t)window->line, 1);
    *PINSIGHT_ADD(history->windows, history->window_count, history->window_capacity) = *window;
}

bool pinsight_history_function_left_out(const struct pinsight_history *history, uint32_t name,
                                        uint32_t file, int32_t line) {
    return pinsight_map_get(&history->left_out, name, file, (uint32_t)line) != PINSIGHT_MAP_NONE;
}

bool pinsight_history_callee_left_out(const struct pinsight_history *history, uint32_t name) {
    return pinsight_map_get(&history->left_out, name, 0, 0) != PINSIGHT_MAP_NONE;
}

/* Returns the begin of an introspection that has no end yet: the latest of this process and
 * number. */
static struct pinsight_change *find_begin(struct pinsight_history *history,
                                          const struct pinsight_process *process, uint32_t number) {
    for (size_t i = history->change_count; i-- > 0;) {
        struct pinsight_change *change = &history->changes[i];

        if (change->kind == PINSIGHT_INTROSPECTED && change->process == process &&
            change->introspection.number == number && !change->introspection.ended)
            return change;
    }
    return NULL;
}

uint64_t pinsight_history_introspected(struct pinsight_history *history,
                                       struct pinsight_process *process, uint64_t ns,
                                       const struct pinsight_past_introspection *introspection) {
    struct pinsight_change *begin = find_begin(history, process, introspection->number);
    struct pinsight_change change = {.ns = ns, .process = process, .kind = PINSIGHT_INTROSPECTED};

    change.introspection = *introspection;
    change.introspection.end_ns = ns;
    change.introspection.ended = true;
    if (!begin) {
        pinsight_history_add(history, &change);
        return 0;
    }
    change.ns = begin->ns;
    change.introspection.begun = true;
    change.introspection.cause = begin->introspection.cause;
    change.introspection.script = begin->introspection.script;
    change.introspection.pause_ns = begin->introspection.pause_ns;
    *begin = change;
    return change.ns;
}

void pinsight_history_clear(struct pinsight_history *history) {
    free(history->changes);
    free(history->windows);
    pinsight_map_clear(&history->left_out);
    *history = (struct pinsight_history){0};
}

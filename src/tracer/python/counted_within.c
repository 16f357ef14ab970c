/*
 * Time that belongs to one execution alone, where MONITORING counts some executions and TRACING
 * records others within them, or around them.
 *
 * A counted execution within a traced one has a node of the traced one around it, which counts
 * nothing itself. The own time in its events is negative, and a reader takes that time off the
 * traced function. A traced execution within a counted one adds its time to the children of the
 * counted one. If the counted one is within a traced one, too, the events of both traced ones show
 * that one is within the other.
 */
#include "tracer/python/balance.h"

/* Returns a child that counts nothing itself, or `outer` if there is no room for more nodes. */
static struct pinsight_count_node *traced(const struct pinsight_python_thread *thread,
                                          struct pinsight_count_node *outer,
                                          struct pinsight_python_lexgion *lexgion, int32_t lineno) {
    struct pinsight_count_node *node =
        pinsight_count_child(&pinsight_python.engine, &thread->engine.core->counts, outer,
                             &lexgion->state, (uint32_t)lineno | PINSIGHT_COUNT_TRACED);
    return node && (node->place & PINSIGHT_COUNT_TRACED) ? node : outer;
}

/* Returns the execution around the top entry. An entry that is neither traced nor counted is part
 * of the execution around it. Returns NULL if there is none. */
static const struct pinsight_entry *around_top(const struct pinsight_python_thread *thread) {
    for (uint32_t depth = thread->depth - 1; depth > 0; depth--)
        if (thread->entries[depth - 1].tag & PINSIGHT_ENTRY_RECORDED)
            return &thread->entries[depth - 1];
    return NULL;
}

struct pinsight_count_node *pinsight_count_around(const struct pinsight_python_thread *thread) {
    struct pinsight_count_node *outer = thread->engine.core->counts.innermost;
    const struct pinsight_entry *around = around_top(thread);
    if (!around || (around->tag & PINSIGHT_ENTRY_COUNTED))
        return outer;
    if (!(around->tag & PINSIGHT_ENTRY_C))
        return traced(thread, outer, pinsight_entry_lexgion(around), 0);
    return traced(thread, traced(thread, outer, around->caller, 0), pinsight_entry_lexgion(around),
                  around->lineno);
}

void pinsight_trace_within(struct pinsight_python_thread *thread, struct pinsight_entry *entry) {
    struct pinsight_count_tree *counts = &thread->engine.core->counts;
    const struct pinsight_entry *around = around_top(thread);
    if (counts->innermost == &counts->root || (around && !(around->tag & PINSIGHT_ENTRY_COUNTED)))
        return;
    entry->notes = (entry->tag & PINSIGHT_ENTRY_NOTED ? entry->notes : 0) | PINSIGHT_NOTE_WITHIN;
    entry->tag |= PINSIGHT_ENTRY_NOTED;
    entry->outer = counts->innermost;
    entry->start = pinsight_clock_ticks();
}

void pinsight_traced_within(const struct pinsight_entry *entry) {
    uint64_t ticks = pinsight_clock_ticks() - entry->start;
    struct pinsight_count_node *around = pinsight_count_traced_around(entry->outer);
    pinsight_add(&entry->outer->children, ticks);
    if (around) /* its own events show that the entry is within it */
        pinsight_add(&around->children, -ticks);
}

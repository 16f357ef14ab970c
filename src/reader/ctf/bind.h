/* Finds out, once for each event class of a trace, which event it is and where its fields are. */
#ifndef PINSIGHT_READER_CTF_BIND_H
#define PINSIGHT_READER_CTF_BIND_H

#include "base/strings.h"
#include "reader/ctf/event.h"

struct pinsight_bindings {
    struct pinsight_binding **items;
    size_t count, capacity;
    struct pinsight_strings hosts;
    struct pinsight_binding *cache[64]; /* by the address of the event class */
};

/* Makes the binding of an event's class. */
const struct pinsight_binding *pinsight_bind(struct pinsight_bindings *bindings,
                                             const bt_event *event);

/* The binding of an event's class, from the cache where it is there. */
static inline const struct pinsight_binding *pinsight_binding_of(struct pinsight_bindings *bindings,
                                                                 const bt_event *event) {
    const bt_event_class *event_class = bt_event_borrow_class_const(event);
    const struct pinsight_binding *cached =
        bindings->cache[((uintptr_t)event_class >> 4 ^ (uintptr_t)event_class >> 10) & 63];

    if (cached && cached->event_class == event_class)
        return cached;
    return pinsight_bind(bindings, event);
}

void pinsight_bindings_clear(struct pinsight_bindings *bindings);

#endif

/* Bindings of event classes: which event a class is of. */
#ifndef PINSIGHT_READER_CTF_BIND_H
#define PINSIGHT_READER_CTF_BIND_H

#include "base/strings.h"
#include "reader/ctf/event.h"

/* All of a reading. */
struct pinsight_bindings {
    struct pinsight_binding **items;
    size_t count, capacity;
    struct pinsight_strings hosts;
};

/* A new binding of an event with this name, without its places; `host` is where it was recorded.
 * It belongs to bindings. */
struct pinsight_binding *pinsight_binding_new(struct pinsight_bindings *bindings, const char *name,
                                              size_t name_length, const char *host,
                                              size_t host_length);

void pinsight_bindings_clear(struct pinsight_bindings *bindings);

#endif

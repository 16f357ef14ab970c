/* Bindings of event classes to the known events. */
#ifndef PINSIGHT_READER_CTF_BIND_H
#define PINSIGHT_READER_CTF_BIND_H

#include "base/strings.h"
#include "reader/ctf/event.h"

/* All bindings of a reading. */
struct pinsight_bindings {
    struct pinsight_binding **items;
    size_t count, capacity;
    struct pinsight_strings hosts;
};

/* Makes a binding for an event with this name, without places of fields. `host` names the recording
 * host. `bindings` owns the result. */
struct pinsight_binding *pinsight_binding_new(struct pinsight_bindings *bindings, const char *name,
                                              size_t name_length, const char *host,
                                              size_t host_length);

void pinsight_bindings_clear(struct pinsight_bindings *bindings);

#endif

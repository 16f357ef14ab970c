/* Places in native code that native events refer to by address: the event region_info. Part of the
 * model; not thread-safe.
 *
 * A place is known by its index among the model's natives. One object and offset is one place,
 * whichever process or address it came from; a place whose region_info is missing has its address
 * alone. */
#ifndef PINSIGHT_READER_KIT_NATIVE_H
#define PINSIGHT_READER_KIT_NATIVE_H

#include "reader/model.h"

struct pinsight_native_place {
    uint32_t object, symbol; /* strings; 0 where not known */
    uint64_t offset;         /* the address less the one that the object was loaded at */
    uint64_t address;        /* in the process that it was first seen in */
    bool known;              /* its region_info was in the trace */
};

/* The place with a code address in a process; made at its first mention. */
uint32_t pinsight_native_at(struct pinsight_process *process, uint64_t address);

/* The place that a domain of a process knows by a number, as lexgion_profile and window_end have
 * it, or PINSIGHT_NONE. */
uint32_t pinsight_native_numbered(const struct pinsight_process *process,
                                  enum reader_domain_number domain, uint32_t number);

/* An event region_info or call_info of a domain. */
void pinsight_native_info(struct pinsight_process *process, enum reader_domain_number domain,
                          uint32_t number, uint64_t address, const char *object, uint64_t offset,
                          const char *symbol);

/* A name of an object or symbol in an event; "" where it is not known. */
static inline const char *pinsight_native_name(const char *text) {
    return text[0] == '?' && !text[1] ? "" : text;
}

#endif

/*
 * Places in native code that native events refer to by address: the event region_info. Part of the
 * model; not thread-safe.
 *
 * A place is identified by its index in the model's natives. An object with an offset is one place,
 * from any process and address. A place without region_info has only its address.
 */
#ifndef PINSIGHT_READER_KIT_NATIVE_H
#define PINSIGHT_READER_KIT_NATIVE_H

#include "reader/model.h"

struct pinsight_native_place {
    uint32_t object, symbol; /* strings; 0 if unknown */
    uint64_t offset;         /* address minus the load address of the object */
    uint64_t address;        /* in the first process with this place */
    bool known;              /* the trace has its region_info */
};

/* Returns the place of a code address in a process. Makes it at the first call. */
uint32_t pinsight_native_at(struct pinsight_process *process, uint64_t address);

/* Returns the place with a number of a domain in a process, or PINSIGHT_NONE. lexgion_profile and
 * window_end have such numbers. */
uint32_t pinsight_native_numbered(const struct pinsight_process *process,
                                  enum reader_domain_number domain, uint32_t number);

/* Takes an event region_info or call_info of a domain. */
void pinsight_native_info(struct pinsight_process *process, enum reader_domain_number domain,
                          uint32_t number, uint64_t address, const char *object, uint64_t offset,
                          const char *symbol);

/* Returns the name of an object or symbol in an event; "" if it is unknown. */
static inline const char *pinsight_native_name(const char *text) {
    return text[0] == '?' && !text[1] ? "" : text;
}

#endif

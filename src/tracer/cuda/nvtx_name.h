/* Names in NVTX: domains, registered strings, and messages of events. A program's handle is the
 * address of a name, which is never freed. Any thread. */
#ifndef PINSIGHT_DOMAINS_CUDA_NVTX_NAME_H
#define PINSIGHT_DOMAINS_CUDA_NVTX_NAME_H

#include "tracer/cuda/nvtx_abi.h"

#include <stdint.h>

/* The longest name with its zero byte. A longer name is cut off between characters. */
enum { PINSIGHT_NVTX_NAME_MAX = 1024 };

struct pinsight_nvtx_name {
    struct pinsight_nvtx_name *next;         /* in the same bucket */
    const struct pinsight_nvtx_name *domain; /* of a registered string; NULL for none */
    uint32_t hash;
    char text[]; /* UTF-8; DOMAIN:STRING for a registered string */
};

/* A program's message: a text, a wide text or the handle of a registered string. */
struct pinsight_nvtx_message {
    int32_t type; /* enum pinsight_nvtx_message_type */
    const void *value;
};

/* Returns a domain's name, or a string that is registered for `domain` (NULL: none). Equal names
 * are one. Returns NULL if there is no message or memory is short. */
const struct pinsight_nvtx_name *pinsight_nvtx_name(const struct pinsight_nvtx_name *domain,
                                                    const struct pinsight_nvtx_message *message);

/*
 * Returns the name of an event: `DOMAIN:MESSAGE`, or the message alone if `domain` is NULL. The
 * result is the registered string's own text, or is written to `room`, which has
 * PINSIGHT_NVTX_NAME_MAX bytes.
 */
const char *pinsight_nvtx_event_name(const struct pinsight_nvtx_name *domain,
                                     const struct pinsight_nvtx_message *message, char *room);

#endif

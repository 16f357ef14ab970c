/* Names in NVTX: domains, registered strings, and what an event says. A handle that a program gets
 * is the address of a name of ours, which holds as long as the process. Any thread. */
#ifndef PINSIGHT_DOMAINS_CUDA_NVTX_NAME_H
#define PINSIGHT_DOMAINS_CUDA_NVTX_NAME_H

#include "domains/cuda/nvtx_abi.h"

#include <stdint.h>

/* The longest name with its zero byte. What is longer is cut between characters. */
enum { PINSIGHT_NVTX_NAME_MAX = 1024 };

struct pinsight_nvtx_name {
    struct pinsight_nvtx_name *next;         /* of its bucket */
    const struct pinsight_nvtx_name *domain; /* of a registered string; NULL for none */
    uint32_t hash;
    char text[]; /* UTF-8; a registered string's is DOMAIN:STRING */
};

/* What a program says: a text, a wide text or the handle of a registered string. */
struct pinsight_nvtx_message {
    int32_t type; /* enum pinsight_nvtx_message_type */
    const void *value;
};

/* The domain of a name, or a string registered for `domain`, which may be NULL: one for all that
 * have the same name. NULL where the message is none, or memory is short. */
const struct pinsight_nvtx_name *pinsight_nvtx_name(const struct pinsight_nvtx_name *domain,
                                                    const struct pinsight_nvtx_message *message);

/*
 * The name of an event: `DOMAIN:MESSAGE`, or the message alone where `domain` is NULL. Returns the
 * registered string's own text; or else what it has written to `room`, PINSIGHT_NVTX_NAME_MAX
 * bytes.
 */
const char *pinsight_nvtx_event_name(const struct pinsight_nvtx_name *domain,
                                     const struct pinsight_nvtx_message *message, char *room);

#endif

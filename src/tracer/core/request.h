/* Requests in datagrams. The code is separate from the sockets, so that it can be tested. */
#ifndef PINSIGHT_CORE_REQUEST_H
#define PINSIGHT_CORE_REQUEST_H

#include "tracer/core/order.h"

#include <stddef.h>

enum pinsight_request_verb {
    PINSIGHT_REQUEST_STATUS,
    PINSIGHT_REQUEST_RESUME,
    PINSIGHT_REQUEST_ORDER, /* `order` is for the control thread */
};

struct pinsight_request {
    enum pinsight_request_verb verb;
    char id[24];      /* repeated in the reply; "" for none */
    unsigned wait_ms; /* time to wait until the order is in effect */
    struct pinsight_order order;
};

/*
 * Parses a datagram (see ctl.h) of any bytes. Modifies the packet; packet[length] must be writable.
 * On an error, returns false with a whole sentence in `error`, and with the id if the packet has
 * one. Any thread.
 */
bool pinsight_request_read(char *packet, size_t length, struct pinsight_request *request,
                           char *error, size_t room);

#endif

/* What a datagram asks of this process. Apart from the sockets, so that it can be tested. */
#ifndef PINSIGHT_CORE_REQUEST_H
#define PINSIGHT_CORE_REQUEST_H

#include "core/order.h"

#include <stddef.h>

enum pinsight_request_verb {
    PINSIGHT_REQUEST_STATUS,
    PINSIGHT_REQUEST_RESUME,
    PINSIGHT_REQUEST_ORDER, /* `order` is for the control thread */
};

struct pinsight_request {
    enum pinsight_request_verb verb;
    char id[24];      /* comes back in the reply; "" for none */
    unsigned wait_ms; /* until the order is in effect */
    struct pinsight_order order;
};

/*
 * Parses a datagram (see ctl.h), whatever its bytes are. Parsing modifies the packet, and
 * packet[length] must be writable. Returns false after an error, with a whole sentence in `error`,
 * and with the id if the packet had one. Any thread.
 */
bool pinsight_request_read(char *packet, size_t length, struct pinsight_request *request,
                           char *error, size_t room);

#endif

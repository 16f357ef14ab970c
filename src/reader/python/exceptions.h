/*
 * Exceptions: their types, the places that raised and handled them, and the time in between.
 *
 * An exception that a handler lets go on (finally, with) is handled by the next handler. If code in
 * C discards an exception, or if it ends the thread, it has no handler.
 */
#ifndef PINSIGHT_READER_PYTHON_EXCEPTIONS_H
#define PINSIGHT_READER_PYTHON_EXCEPTIONS_H

#include "base/map.h"
#include "reader/ctf/event.h"
#include "reader/model.h"

/* The place of a handler. */
struct pinsight_handler {
    uint32_t path;
    int32_t line; /* of the handler; 0 if unknown */
};

/* Exceptions of one type from one path that went to one handler. */
struct pinsight_exception {
    uint32_t type;    /* string number */
    uint32_t raised;  /* path, or PINSIGHT_NONE */
    uint32_t handler; /* index of the handler, or PINSIGHT_NONE */
    uint32_t frames;  /* functions that it left; 0 without a handler */
    uint64_t count;
    uint64_t untimed;          /* those that MONITORING counted, of which the times are not known */
    uint64_t total_ns, max_ns; /* from the raise to the handler; 0 without a handler */
};

/* An exception that may go on. */
struct pinsight_flight {
    uint32_t exception, type, raised, handler;
    bool is_handled;
    uint64_t begin_ns, end_ns;
};

/* The last exceptions of a thread. Nested handlers have more than one. */
#define PINSIGHT_FLIGHTS 16
struct pinsight_flights {
    struct pinsight_flight flights[PINSIGHT_FLIGHTS];
    uint32_t count;
};

struct pinsight_exceptions {
    struct pinsight_exception *rows;
    size_t count, capacity;
    struct pinsight_handler *handlers;
    size_t handler_count, handler_capacity;
    struct pinsight_flights *threads;
    size_t thread_count, thread_capacity;
    struct pinsight_map row_map, handler_map, thread_map;
    struct pinsight_map type_map; /* string numbers of types, by process and number */
};

/* Takes the events exception_type, exception_raised, exception_handled, exception_reraised and
 * exception_counted.
 */
void pinsight_exceptions_take(struct pinsight_model *model, const struct pinsight_event *event);

/* Counts the last exceptions of all threads at the end of the trace. */
void pinsight_exceptions_finish(struct pinsight_model *model);
void pinsight_exceptions_free(struct pinsight_exceptions *exceptions);

#endif

/*
 * Shared by the parts of an introspection: introspect.c has its course, and introspect_talk.c the
 * packets to and from the helper. Control thread only.
 */
#ifndef PINSIGHT_CORE_INTROSPECT_CYCLE_H
#define PINSIGHT_CORE_INTROSPECT_CYCLE_H

#include "format/introspect_protocol.h"
#include "tracer/core/helper.h"
#include "tracer/core/info.h"
#include "tracer/core/log.h"
#include "tracer/core/order.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* The progress of an introspection. */
enum pinsight_cycle_phase { PINSIGHT_CYCLE_IDLE, PINSIGHT_CYCLE_ROTATING, PINSIGHT_CYCLE_SCRIPT };

/* The present introspection. */
struct pinsight_cycle {
    enum pinsight_cycle_phase phase;
    struct pinsight_introspection how;
    struct pinsight_helper helper;
    uint32_t number;
    int64_t began_ns;
    int64_t paused_ns; /* time for which the program has waited */
    uint64_t content;  /* hash of the configuration file at the begin */
    bool rotated;      /* the session was rotated, or possibly was */
    uint32_t stopped, running;
    char chunk[PATH_MAX];
    enum pinsight_introspect_end end;
    int status;
    bool reloaded;
    char message[1024]; /* the first failure, or "" */
};
extern struct pinsight_cycle pinsight_cycle;

/* Ends the cycle. `how` is its outcome unless a later step sets another. */
static inline void pinsight_cycle_end_with(enum pinsight_introspect_end how) {
    pinsight_cycle.phase = PINSIGHT_CYCLE_IDLE;
    pinsight_cycle.end = how;
}

/* Keeps the first failure for the trace, and reports each kind of failure once on stderr. */
__attribute__((format(printf, 2, 3))) void pinsight_cycle_report(struct pinsight_log_once *once,
                                                                 const char *format, ...);

/* Record the counts for the chunk that is being closed; and the definitions for the next chunk. */
void pinsight_cycle_notify_domains(void);
void pinsight_cycle_define_anew(void);

/* Returns a hash of a file's content; 0 for a file that cannot be read. */
uint64_t pinsight_cycle_content(const char *path);

/* Finds the helper's path. Returns false if there is no helper. */
bool pinsight_cycle_find_helper(char path[PATH_MAX]);

bool pinsight_cycle_start_helper(void);

/* Receives one packet of the helper, if one comes within the time. May change the phase. */
void pinsight_cycle_receive(int patience_ms);

/* Asks the helper, if there is one, to end its work and itself. */
void pinsight_cycle_end_helper(void);

#endif

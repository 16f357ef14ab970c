/*
 * What the parts of an introspection share: introspect.c has its course, introspect_talk.c what is
 * said to the helper and heard from it. All is the control thread's alone.
 */
#ifndef PINSIGHT_CORE_INTROSPECT_CYCLE_H
#define PINSIGHT_CORE_INTROSPECT_CYCLE_H

#include "core/helper.h"
#include "core/info.h"
#include "core/introspect_protocol.h"
#include "core/log.h"
#include "core/order.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* Where an introspection stands. */
enum pinsight_cycle_phase { PINSIGHT_CYCLE_IDLE, PINSIGHT_CYCLE_ROTATING, PINSIGHT_CYCLE_SCRIPT };

/* The introspection that goes on; the control thread's alone. */
struct pinsight_cycle {
    enum pinsight_cycle_phase phase;
    struct pinsight_introspection how;
    struct pinsight_helper helper;
    uint32_t number;
    int64_t began_ns;
    int64_t paused_ns; /* of it, the program waited this long */
    uint64_t content;  /* of the configuration file at the beginning */
    bool rotated;      /* the session was, or may have been */
    uint32_t stopped, running;
    char chunk[PATH_MAX];
    enum pinsight_introspect_end end;
    int status;
    bool reloaded;
    char message[1024]; /* what went wrong, "" if nothing did */
};
extern struct pinsight_cycle pinsight_cycle;

/* The cycle is over: how, if nothing is said before. */
static inline void pinsight_cycle_end_with(enum pinsight_introspect_end how) {
    pinsight_cycle.phase = PINSIGHT_CYCLE_IDLE;
    pinsight_cycle.end = how;
}

/* Keeps the first thing that went wrong for the trace, and says each kind of thing once. */
__attribute__((format(printf, 2, 3))) void pinsight_cycle_report(struct pinsight_log_once *once,
                                                                 const char *format, ...);

/* What counts and definitions belong into the chunk that is being closed, and into the next. */
void pinsight_cycle_notify_domains(void);
void pinsight_cycle_define_anew(void);

/* A number for what a file holds; 0 for a file that cannot be read. */
uint64_t pinsight_cycle_content(const char *path);

/* Start the helper, which begins with the rotation. False, and said why, if it cannot be. */
/* The helper's path; false where it is not found. */
bool pinsight_cycle_find_helper(char path[PATH_MAX]);

bool pinsight_cycle_start_helper(void);

/* One packet of the helper's, if there is one within the time; then the phase may have changed. */
void pinsight_cycle_receive(int patience_ms);

/* Let the helper end what it does, if there is one. */
void pinsight_cycle_end_helper(void);

#endif

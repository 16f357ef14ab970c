/* Which recorder the floor's events go to: that of the run. */
#ifndef PINSIGHT_BENCH_FLOOR_RECORDER_H
#define PINSIGHT_BENCH_FLOOR_RECORDER_H

#include "format/choice.h"
#include "tracer/record/counted.h"
#include "tracer/record/recorder.h"

#include <dlfcn.h>
#include <unistd.h>

/* Starts the run's recorder where PInsight itself does not. */
static inline void floor_join(void) {
    struct pinsight_counts_grant grant;
    const char *why = pinsight_recorder_choose();
    /* Asked for by name: a program that refers to a library's variable has a copy of its own. */
    const struct pinsight_recorder *const *recorder = dlsym(RTLD_DEFAULT, "pinsight_recorder");
    if (why || !recorder || !(*recorder)->start())
        return;
    if ((*recorder)->join(&grant) == PINSIGHT_JOINED && grant.fd >= 0)
        close(grant.fd);
}

/* For the domain of the floor, before its first event. */
#define FLOOR_RECORDER(domain)                                                                     \
    do {                                                                                           \
        extern const struct pinsight_record_##domain pinsight_record_table_##domain;               \
        if (pinsight_recorder_is("lttng"))                                                         \
            pinsight_record_##domain = &pinsight_record_table_##domain;                            \
    } while (0)

#endif

/* Which recorder the floor's events go to: that of the run. */
#ifndef PINSIGHT_BENCH_FLOOR_RECORDER_H
#define PINSIGHT_BENCH_FLOOR_RECORDER_H

#include "record/choice.h"

/* For the domain of the floor, before its first event. */
#define FLOOR_RECORDER(domain)                                                                     \
    do {                                                                                           \
        extern const struct pinsight_record_##domain pinsight_record_table_##domain;               \
        if (pinsight_recorder_is("lttng"))                                                         \
            pinsight_record_##domain = &pinsight_record_table_##domain;                            \
    } while (0)

#endif

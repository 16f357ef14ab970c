/* What a timeline tells, as text, and whether it may tell that: slices nest, and time does not run
 * back on a track. */
#ifndef PINSIGHT_TEST_TOLD_H
#define PINSIGHT_TEST_TOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/timeline.h"

#define TOLD_TRACKS 8192

/* "1 +f5@10>3" is track 1's begin of the slice 5 of Python's functions at 10, which flow 3 leaves;
 * "1 -f5@20!" its end at 20, which was cut short; "1=3>2@10-40" flow 3 from track 1 at 10 to track
 * 2 at 40. */
struct told {
    struct pinsight_timeline timeline; /* its data is this struct */
    char text[4096];
    size_t length;
    bool quiet; /* nothing is written, all is counted and checked */
    uint64_t last_ns[TOLD_TRACKS];
    size_t depth[TOLD_TRACKS];
    uint64_t begins, ends, flows;
};

/* Has `model` tell its slices and flows. Other callbacks of the timeline may be set behind it. */
void seen_listen(struct told *told, struct pinsight_model *model);

/* Appends to the text. */
__attribute__((format(printf, 2, 3))) void tell(struct told *told, const char *format, ...);

/* Fails unless this was told since the last call. */
void seen_is(struct told *told, const char *expected);

/* The callback of a slice's end, for a test that looks at ends itself too. */
void seen_end(void *told, struct pinsight_track *track, const struct pinsight_slice *slice,
              uint64_t ns);

#endif

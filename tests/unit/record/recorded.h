/* What the tests of the file recorder record, and what they find of it in its files. */
#ifndef PINSIGHT_TEST_RECORDED_H
#define PINSIGHT_TEST_RECORDED_H

#include "unit.h"

#include "format/folder.h"
#include "tracer/record/file/recording.h"
#include "tracer/record/recorder.h"

enum {
    SMALL = 3,
    LONG = 4,
    LONG_BYTES = 52,
    WIDE = 40,
    MOST_THREADS = 32768,
    MOST_READINGS = 4096
};

/* Where the test records: the output, and the folder of this host in it. */
extern char output[sizeof "/tmp/pinsight-record-XXXXXX"];
extern const struct pinsight_event_number small;
extern char folder[PATH_MAX];

/* What is in the streams that are finished. */
struct found {
    uint64_t small, long_ones, wide, packets, text_bytes, syncs;
    uint64_t sums[MOST_THREADS]; /* of the numbers, by thread in order of appearance */
    uint32_t tids[MOST_THREADS];
    unsigned tid_count;
    struct clock_reading {
        uint64_t ticks, processor_ns, run_delay_ns;
    } readings[MOST_READINGS]; /* of all threads */
    uint64_t reading_count;
};

/* Fails where a packet is not whole. */
void read_all(struct found *found);

/* A small event with its number; it has to be recorded. */
void put_small(uint32_t number);

/* A frequent event with LONG_BYTES bytes of fields; it has to be recorded. */
void put_long(void);

/* An event with a text. False where it was not recorded. */
bool put_text(const char *text);

/* Calls `work` in a child; what it leaves is finished by this process, when it has ended. */
void in_child(void (*work)(void));

/* The same; what is there after it, or before and after it. */
void read_after(void (*work)(void), struct found *after);
void read_around(void (*work)(void), struct found *before, struct found *after);

/* The fixtures of the group. */
int set_up(void **state);
int take_down(void **state);

#endif

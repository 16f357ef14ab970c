/* Clocks of several hosts; see decoder_clocks.h. */
#include "reader/ctf/decoder_clocks.h"

#include "base/memory.h"
#include "base/order.h"

#include <stdlib.h>
#include <string.h>

/* The least distance of two points. The rate between nearer points would be dominated by reading
 * errors. */
#define LEAST_NS INT64_C(1000000000)
/* A clock with a larger drift (1 / MOST_DRIFT) was set. */
#define MOST_DRIFT 1000

/* One moment of a folder: its own ticks, and real time. */
struct clock_moment {
    uint64_t ticks;
    int64_t ns, real; /* by the folder's clock; since 1970 */
};

struct moments {
    struct clock_moment *items;
    size_t count, capacity;
};

/* Finds the number of clock_sync. Returns false if the trace has no known form of it. */
static bool find_number(const struct ctf_stream_class *class, uint32_t *number) {
    for (size_t i = 0; i < class->class_count; i++) {
        const struct ctf_class *event = &class->classes[i];

        if (event->event && tsdl_is(event->event->name, "pinsight_lttng_ust:clock_sync")) {
            *number = (uint32_t)i;
            return class->head == CTF_COMPACT && !event->step_count &&
                   event->size == 3 * sizeof(uint64_t);
        }
    }
    return false;
}

/* Reads the first event of a packet if it is a clock_sync. */
static bool read_moment(const struct ctf_file *file, uint64_t packet, uint32_t wanted,
                        struct clock_moment *moment) {
    const unsigned char *at = file->data + packet + file->class->head_size;
    uint64_t content = ctf_file_number(file, packet, file->class->content) / 8;
    uint64_t fields[3];
    uint32_t number;

    if (content < file->class->head_size + 1 + 4 + 8 + sizeof(fields) || (*at & 31) != 31)
        return false;
    memcpy(&number, at + 1, sizeof(number));
    memcpy(fields, at + 1 + 4 + 8, sizeof(fields));
    if (number != wanted || fields[2] > INT64_MAX / 2)
        return false;
    *moment = (struct clock_moment){
        .ticks = fields[0],
        .ns = (int64_t)pinsight_clock_ns(&file->trace->clock, fields[0]),
        .real = (int64_t)fields[2],
    };
    return moment->ns > 0 && moment->ns < INT64_MAX / 2;
}

static void gather_file(const struct ctf_file *file, struct moments *moments) {
    uint64_t packet = 0;
    uint32_t number;

    if (!find_number(file->class, &number))
        return;
    while (packet < file->whole_size) {
        struct clock_moment moment;

        if (read_moment(file, packet, number, &moment))
            *PINSIGHT_ADD(moments->items, moments->count, moments->capacity) = moment;
        packet += ctf_file_number(file, packet, file->class->packet) / 8;
    }
}

static int by_ticks(const void *a, const void *b) {
    const struct clock_moment *one = a, *other = b;

    return one->ticks < other->ticks ? -1 : one->ticks > other->ticks;
}

/* Keeps moments that are far enough apart, without a setting of a clock between them. */
static void thin(struct moments *moments) {
    size_t kept = 0;

    if (moments->count > 1)
        PINSIGHT_SORT(moments->items, moments->count, by_ticks);
    for (size_t i = 0; i < moments->count; i++) {
        const struct clock_moment *last = &moments->items[kept - (kept > 0)],
                                  *next = &moments->items[i];
        int64_t ns = next->ns - last->ns, drift = next->real - last->real - ns;

        if (!kept || (ns >= LEAST_NS && llabs(drift) < ns / MOST_DRIFT))
            moments->items[kept++] = *next;
    }
    moments->count = kept;
}

static struct moments gather(const struct decoder *decoder, const struct ctf_trace *trace) {
    struct moments moments = {0};

    for (size_t i = 0; i < decoder->stream_count; i++)
        for (size_t f = 0; f < decoder->streams[i]->file_count; f++)
            if (decoder->streams[i]->files[f].trace == trace)
                gather_file(&decoder->streams[i]->files[f], &moments);
    thin(&moments);
    return moments;
}

void decoder_join_clock(struct decoder *decoder, struct decoder_folder *folder) {
    struct ctf_trace *trace = folder->trace;
    struct moments moments;

    if (!trace->has_clock || decoder->folder_count < 2)
        return;
    moments = gather(decoder, trace);
    struct pinsight_clock_point *points =
        moments.count ? pinsight_calloc(moments.count, sizeof(*points)) : NULL;
    for (size_t i = 0; i < moments.count; i++) {
        const struct clock_moment *moment = &moments.items[i];

        /* First the first folder's clock by real time, which takes the place of cycles; then this
         * folder's. */
        points[i].cycles = decoder->real_count ? moment->ticks : (uint64_t)moment->real;
        points[i].ns = decoder->real_count
                           ? moment->real - moment->ns +
                                 pinsight_clock_correction(decoder->real, decoder->real_count,
                                                           (uint64_t)moment->real)
                           : moment->ns - moment->real;
    }
    if (decoder->real_count) {
        trace->points = points;
        if (points)
            pinsight_clock_correct(&trace->clock, points, moments.count);
    } else {
        decoder->real = points;
        decoder->real_count = moments.count;
    }
    free(moments.items);
}

/* Clocks of several hosts; see decoder_clocks.h. */
#include "reader/ctf/decoder_clocks.h"

#include "base/memory.h"
#include "base/order.h"
#include "reader/ctf/decoder_names.h"

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

/* Returns what brings a folder's clock to that of the first folder with moments, by real time. */
static struct pinsight_clock_point *by_real_time(struct decoder *decoder,
                                                 const struct ctf_trace *trace, size_t *count) {
    struct moments moments = gather(decoder, trace);
    struct pinsight_clock_point *points =
        moments.count ? pinsight_calloc(moments.count, sizeof(*points)) : NULL;

    *count = moments.count;
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
    free(moments.items);
    if (decoder->real_count)
        return points;
    decoder->real = points;
    decoder->real_count = *count;
    *count = 0;
    return NULL;
}

static const struct pinsight_host_correction *correction_of(const struct decoder *decoder,
                                                            const struct ctf_trace *trace) {
    const struct pinsight_host_corrections *all = decoder->corrections;

    for (size_t i = 0; all && i < all->count; i++)
        if (all->items[i].host && tsdl_is(trace->tsdl.hostname, all->items[i].host))
            return &all->items[i];
    return NULL;
}

/* Returns the first ticks at which a clock has a time, or a later one. */
static uint64_t ticks_at(const struct pinsight_clock *clock, uint64_t ns) {
    uint64_t first = 0, last = UINT64_MAX / 2;

    while (first < last) {
        uint64_t middle = first + (last - first) / 2;

        /* A time that does not fit is a late one. */
        if (pinsight_clock_ns(clock, middle) >= ns ||
            (middle > clock->near && !pinsight_clock_ns(clock, middle)))
            last = middle;
        else
            first = middle + 1;
    }
    return first;
}

static int by_cycles(const void *a, const void *b) {
    const struct pinsight_clock_point *one = a, *other = b;

    return (one->cycles > other->cycles) - (one->cycles < other->cycles);
}

/* Adds a host's correction to the points, which the clock has already. Its points are at times of
 * the clock. Both are linear between the points of both. */
static struct pinsight_clock_point *add_correction(const struct pinsight_clock *clock,
                                                   const struct pinsight_host_correction *host,
                                                   struct pinsight_clock_point *points,
                                                   size_t *count) {
    size_t all = *count + host->point_count;
    struct pinsight_clock_point *sums = pinsight_calloc(all, sizeof(*sums));

    for (size_t i = 0; i < all; i++)
        sums[i].cycles =
            i < *count ? points[i].cycles : ticks_at(clock, host->points[i - *count].cycles);
    PINSIGHT_SORT(sums, all, by_cycles);
    for (size_t i = 0; i < all; i++)
        sums[i].ns = pinsight_clock_correction(points, *count, sums[i].cycles) +
                     pinsight_clock_correction(host->points, host->point_count,
                                               pinsight_clock_ns(clock, sums[i].cycles));
    free(points);
    *count = all;
    return sums;
}

void decoder_join_clock(struct decoder *decoder, struct decoder_folder *folder) {
    struct ctf_trace *trace = folder->trace;
    const struct pinsight_host_correction *host = correction_of(decoder, trace);
    size_t count = 0;

    if (!trace->has_clock || decoder->folder_count < 2)
        return;
    trace->points = decoder_is_ours(folder) ? by_real_time(decoder, trace, &count) : NULL;
    if (trace->points)
        pinsight_clock_correct(&trace->clock, trace->points, count);
    if (!host || !host->point_count)
        return;
    trace->points = add_correction(&trace->clock, host, trace->points, &count);
    pinsight_clock_correct(&trace->clock, trace->points, count);
}

bool decoder_has_hosts(const struct decoder *decoder) {
    const struct ctf_trace *first = NULL;

    for (size_t i = 0; i < decoder->folder_count; i++) {
        const struct ctf_trace *trace = decoder->folders[i].trace;
        const struct tsdl_word *host = trace ? &trace->tsdl.hostname : NULL;

        if (first && trace &&
            (host->length != first->tsdl.hostname.length ||
             (host->length && memcmp(host->at, first->tsdl.hostname.at, host->length) != 0)))
            return true;
        first = first ? first : trace;
    }
    return false;
}

/* Missing packets; see gaps.h. */
#include "reader/ctf/gaps.h"

#include "base/memory.h"
#include "base/units.h"

#include <inttypes.h>
#include <stdlib.h>

/* The most gaps of a trace that are kept. */
#define MOST_KEPT 1000

void ctf_gaps_add(struct ctf_gaps *gaps, struct pinsight_source_result *result, const char *name,
                  const struct pinsight_gap *gap) {
    struct pinsight_gap placed = *gap;

    /* The end in a packet's head may be a little behind the begin of a later packet. */
    if (placed.until_ns && placed.from_ns > placed.until_ns)
        placed.from_ns = placed.until_ns;
    if (gaps->count < CTF_MOST_NAMED_GAPS)
        gaps->first[gaps->count] = placed;
    gaps->count++;
    gaps->packets += gap->packets;
    result->lacking_packets += gap->packets;
    if (result->gap_count == MOST_KEPT)
        return;
    struct pinsight_gap *kept = PINSIGHT_ADD(result->gaps, result->gap_count, result->gap_capacity);
    *kept = placed;
    kept->stream = pinsight_strdup(name);
}

/* Returns the time from the begin of the trace. */
static struct pinsight_units since_begin(const struct pinsight_source_result *result, uint64_t ns) {
    return pinsight_units_time(ns > result->from_ns ? ns - result->from_ns : 0);
}

/* Appends the place of a gap. */
static void append_place(char **text, const struct pinsight_source_result *result,
                         const struct pinsight_gap *gap) {
    uint64_t length = gap->until_ns > gap->from_ns ? gap->until_ns - gap->from_ns : 0;

    if (!gap->until_ns && gap->from_ns)
        pinsight_append(text, "from %s after the trace's begin on",
                        since_begin(result, gap->from_ns).text);
    else if (!gap->until_ns)
        pinsight_append(text, "at an unknown time");
    else if (!gap->from_ns)
        pinsight_append(text, "up to %s after the trace's begin",
                        since_begin(result, gap->until_ns).text);
    else
        pinsight_append(text, "for %s from %s after the trace's begin on",
                        pinsight_units_time(length).text, since_begin(result, gap->from_ns).text);
}

/* Returns a text such as "it lacks 1 packet that was recorded, for 2.10 ms from 1.23 s after the
 * trace's begin on". The caller frees it. */
static char *lacking_text(const struct ctf_gaps *gaps,
                          const struct pinsight_source_result *result) {
    char *text =
        pinsight_format("lacks %" PRIu64 " packet%s that %s recorded, ", gaps->packets,
                        gaps->packets == 1 ? "" : "s", gaps->packets == 1 ? "was" : "were");

    for (size_t i = 0; i < gaps->count && i < CTF_MOST_NAMED_GAPS; i++) {
        pinsight_append(&text, "%s", i ? "; " : "");
        append_place(&text, result, &gaps->first[i]);
    }
    if (gaps->count > CTF_MOST_NAMED_GAPS)
        pinsight_append(&text, "; and in %zu more places", gaps->count - CTF_MOST_NAMED_GAPS);
    return text;
}

void ctf_gaps_warn(const struct ctf_gaps *gaps, const struct ctf_file_end *end, const char *name,
                   struct pinsight_source_result *result) {
    /* The sizes of missing packets are unknown. */
    uint64_t explained = end->is_known ? UINT64_MAX : gaps->packets * end->largest_bytes;
    char *text;

    if (!gaps->count && !end->lacking_bytes)
        return;
    text = pinsight_strdup(name);
    if (end->lacking_bytes)
        pinsight_append(&text, " is %" PRIu64 " byte%s shorter than it was:%s", end->lacking_bytes,
                        end->lacking_bytes == 1 ? "" : "s", gaps->count ? " it" : "");
    if (gaps->count) {
        char *lacking = lacking_text(gaps, result);
        pinsight_append(&text, " %s", lacking);
        free(lacking);
    }
    if (end->lacking_bytes > explained && end->end_ns)
        pinsight_append(&text, "%s its end, from %s after the trace's begin on, %s missing",
                        gaps->count ? ";" : "", since_begin(result, end->end_ns).text,
                        gaps->count ? "may be" : "is");
    else if (end->lacking_bytes > explained)
        pinsight_append(&text, "%s its end %s missing", gaps->count ? ";" : "",
                        gaps->count ? "may be" : "is");
    pinsight_append(&text, "; copy it again from the place of the recording");
    pinsight_source_warn(result, text);
    result->damaged_streams++;
    result->lacking_streams += gaps->count > 0;
}

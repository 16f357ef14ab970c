/* Lists what a trace's events are, as the reader's decoder gives them: a line for each that is
 * known, TIME NAME VPID VTID FIELD=NUMBER FIELD="HEXADECIMAL BYTES" … and at the end, what else
 * came of the reading. */
#include "reader/ctf/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void print_text(const char *text) {
    putchar('"');
    for (; *text; text++)
        printf("%02x", (unsigned char)*text);
    putchar('"');
}

static int print_event(void *data, const struct pinsight_event *event) {
    const struct pinsight_event_desc *desc = &pinsight_event_descs[event->binding->id];

    (void)data;
    if (event->binding->id == PINSIGHT_EVENT_UNKNOWN)
        return 0;
    printf("%" PRIu64 " %s %" PRId64 " %" PRId64, event->ns, desc->full_name,
           pinsight_event_vpid(event), pinsight_event_vtid(event));
    for (unsigned i = 0; i < desc->field_count; i++) {
        struct pinsight_slot slot = event->binding->fields[i];
        int64_t value = pinsight_event_integer(event, i);

        if (!slot.there)
            continue;
        printf(" %s=", desc->fields[i].name);
        if (slot.kind == PINSIGHT_FIELD_STRING)
            print_text(pinsight_event_text(event, i));
        else if (slot.kind == PINSIGHT_FIELD_SIGNED)
            printf("%" PRId64, value);
        else
            printf("%" PRIu64, (uint64_t)value);
    }
    putchar('\n');
    return 0;
}

int main(int argc, char **argv) {
    const struct pinsight_source_options options = {.on_event = print_event};
    struct pinsight_source_result result = {0};
    int rc = argc == 2 ? pinsight_source_read(argv[1], &options, &result) : -1;

    printf("events %" PRIu64 " known %" PRIu64 " discarded %" PRIu64 " %" PRIu64 " until %" PRIu64
           " streams %" PRIu32 " damaged %" PRIu32 " later %d unclear %d\n",
           result.events, result.known_events, result.discarded_events, result.discarded_packets,
           result.until_ns, result.streams, result.damaged_streams, result.later_chunk,
           result.unclear_discards);
    for (size_t i = 0; i < result.short_count; i++)
        printf("short %" PRId64 " %" PRIu64 " %d %d\n", result.short_processes[i].pid,
               result.short_processes[i].missing, result.short_processes[i].ended,
               result.short_processes[i].exact);
    for (size_t i = 0; i < result.warning_count; i++)
        printf("warning %s\n", result.warnings[i]);
    if (result.error)
        printf("error %s\n", result.error);
    pinsight_source_result_clear(&result);
    return rc ? EXIT_FAILURE : EXIT_SUCCESS;
}

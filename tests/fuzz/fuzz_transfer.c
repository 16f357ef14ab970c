/* What a process that reads a trace writes to the one that takes it, of any content. The first
 * byte says how many bytes come at once. */
#include <stdint.h>
#include <string.h>

#include "reader/ctf/transfer.h"

static volatile uint64_t sum;

static int take(void *data, const struct pinsight_event *event) {
    (void)data;
    sum += (uint64_t)pinsight_event_vpid(event) + (uint64_t)pinsight_event_vtid(event);
    for (unsigned i = 0; i < PINSIGHT_EVENT_MAX_FIELDS; i++)
        sum += (uint64_t)pinsight_event_integer(event, i) + pinsight_event_time(event, i) +
               strlen(pinsight_event_text(event, i));
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct pinsight_source_options options = {.on_event = take};
    struct pinsight_source_result result = {0};
    struct ctf_receiver receiver = {.options = &options, .result = &result};
    size_t step = size ? 1 + data[0] * (size_t)16 : 1;

    for (size_t at = 1; at < size; at += step) {
        size_t room, part = size - at < step ? size - at : step;

        memcpy(ctf_receiver_room(&receiver, &room), data + at, part);
        if (ctf_receiver_take(&receiver, part) != CTF_TRANSFER_MORE)
            break;
    }
    ctf_receiver_clear(&receiver);
    pinsight_source_result_clear(&result);
    return 0;
}

/* Flight recorders of a trace's processes; see decoder_rings.h. */
#include "reader/ctf/decoder_rings.h"

#include "base/memory.h"
#include "format/ring_head.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* Converts the times of the ring's head to the trace's clock. They are not trusted, but any value
 * is a time. */
static struct pinsight_kept kept_of(const struct decoder_folder *folder,
                                    const struct pinsight_ring_head *head, bool goes_on) {
    const struct pinsight_clock *clock = &folder->trace->clock;
    uint64_t dropped = __atomic_load_n(&head->dropped_until, __ATOMIC_ACQUIRE);
    uint64_t last = __atomic_load_n(&head->last, __ATOMIC_RELAXED);
    struct pinsight_kept kept = {.pid = head->pid, .dropped_bytes = head->dropped_bytes};

    if (head->until)
        last = head->until;
    else if (goes_on && folder->limit != UINT64_MAX)
        last = folder->limit;
    kept.last_ns = pinsight_clock_ns(clock, last);
    kept.from_ns = dropped ? pinsight_clock_ns(clock, dropped) + 1 : 0;
    if (head->ns && kept.last_ns > head->ns && kept.last_ns - head->ns > kept.from_ns)
        kept.from_ns = kept.last_ns - head->ns;
    return kept;
}

static void take_head(struct decoder *decoder, const struct decoder_folder *folder,
                      const struct decoder_account *account,
                      const struct pinsight_ring_head *head) {
    struct pinsight_ring *ring = pinsight_calloc(1, sizeof(*ring));

    ring->kept = kept_of(folder, head, account->account.goes_on);
    ring->is_cut = head->dropped_until != 0;
    for (size_t i = 0; i < decoder->stream_count; i++) {
        struct ctf_stream *stream = decoder->streams[i];
        if (stream->base.event.account != &account->account)
            continue;
        stream->base.ring = ring;
        if (head->until && head->until < stream->limit)
            stream->limit = head->until;
    }
    *PINSIGHT_ADD(decoder->rings, decoder->ring_count, decoder->ring_capacity) = ring;
}

void decoder_find_rings(struct decoder *decoder, const struct decoder_folder *folder) {
    int at = open(folder->at, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    for (size_t i = 0; i < decoder->account_count && at >= 0; i++) {
        const struct decoder_account *account = decoder->accounts[i];
        char *name =
            account->group == folder->group ? pinsight_format("%s-", account->process) : NULL;
        struct pinsight_ring_head *head = name ? pinsight_ring_head_map(at, name, false) : NULL;

        if (head)
            take_head(decoder, folder, account, head);
        pinsight_ring_head_unmap(head);
        free(name);
    }
    if (at >= 0)
        close(at);
}

void decoder_report_rings(const struct decoder *decoder, struct pinsight_source_result *result) {
    for (size_t i = 0; i < decoder->ring_count; i++)
        if (decoder->rings[i]->is_cut)
            *PINSIGHT_ADD(result->kept, result->kept_count, result->kept_capacity) =
                decoder->rings[i]->kept;
}

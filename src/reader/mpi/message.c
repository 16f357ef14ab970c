/* Messages, matched by communicator, source, destination and tag, in the order of sends and of
 * posted receives (MPI 4.0 section 3.5: messages do not overtake). */
#include "reader/mpi/channel.h"
#include "reader/simultaneous.h"
#include "reader/timeline.h"

#include <stdlib.h>

/* The most messages that are kept until they are received. */
#define MOST_PENDING (UINT64_C(1) << 21)
/* The most received messages whose sends may still come. */
#define MOST_OWED (UINT64_C(1) << 16)

/* The library did not report the received bytes. */
#define UNKNOWN_BYTES UINT64_MAX

/* Returns the member of a rank of a destination or source; PINSIGHT_NONE for none. */
static uint32_t peer(const struct pinsight_mpi *mpi, const struct pinsight_mpi_handle *handle,
                     int32_t rank) {
    const struct pinsight_mpi_comm *comm = &mpi->comms[handle->comm];
    uint32_t member;

    if (rank < 0)
        return PINSIGHT_NONE;
    member = handle->remote + (uint32_t)rank;
    return (uint32_t)rank < comm->member_count && member < comm->member_count ? member
                                                                              : PINSIGHT_NONE;
}

/* Counts one message more or less. */
static void count_size(struct pinsight_mpi *mpi, uint64_t bytes, int more) {
    unsigned size = bytes ? 64 - (unsigned)__builtin_clzll(bytes) : 0;

    mpi->size_messages[size] += (uint64_t)(int64_t)more;
    mpi->size_bytes[size] += (uint64_t)(int64_t)more * bytes;
}

/* Charges the waits, once the sender is done and the receive is known. */
static void settle(struct pinsight_mpi *mpi, struct pinsight_mpi_message *message) {
    if (!message->sent || !message->matched)
        return;
    if (message->receive_site != PINSIGHT_NONE)
        pinsight_mpi_charge(mpi, message->interval, PINSIGHT_MPI_LATE_RECEIVER,
                            message->receive_site, message->posted_ns);
    pinsight_mpi_interval_unref(mpi, message->interval);
    pinsight_slab_give(&mpi->state->messages, message);
}

void pinsight_mpi_now(struct pinsight_mpi_thread *thread, uint64_t ns) {
    struct pinsight_mpi_state *state = pinsight_model_mpi(thread->rank->process->model)->state;

    state->now = thread;
    state->now_ns = ns;
    state->out = state->outs = 0;
}

/* Numbers the flow from the present call to the receive. */
static void number_flow(struct pinsight_mpi_state *state, struct pinsight_mpi_message *message) {
    struct pinsight_thread *thread = state->now ? state->now->thread : NULL;

    message->track = thread ? pinsight_track_of(thread) : NULL;
    if (!message->track)
        return;
    message->flow = pinsight_flow_numbers(thread->process->model, 1);
    if (!state->outs++)
        state->out = message->flow;
}

/* Returns the oldest message that was received before its send, and that this send may be. */
static struct pinsight_mpi_early *early_of(struct pinsight_mpi_state *state,
                                           const struct pinsight_mpi_channel *channel,
                                           uint64_t ns) {
    if (!pinsight_may_cause(ns, state->last_early_ns))
        return NULL;
    for (uint32_t i = 0; i < PINSIGHT_MPI_MOST_EARLY; i++) {
        struct pinsight_mpi_early *early =
            &state->early[(state->next_early + i) % PINSIGHT_MPI_MOST_EARLY];

        if (early->received_ns && early->a == channel->item.a && early->b == channel->item.b &&
            pinsight_may_cause(ns, early->received_ns))
            return early;
    }
    return NULL;
}

static void forget_early(struct pinsight_mpi *mpi, struct pinsight_mpi_early *early) {
    pinsight_mpi_interval_unref(mpi, early->interval);
    *early = (struct pinsight_mpi_early){0};
}

static void note_early(struct pinsight_mpi *mpi, const struct pinsight_mpi_channel *channel,
                       const struct pinsight_mpi_receive *receive, uint64_t bytes,
                       struct pinsight_mpi_interval *interval) {
    struct pinsight_mpi_state *state = mpi->state;
    struct pinsight_mpi_early *early = &state->early[state->next_early];

    state->next_early = (state->next_early + 1) % PINSIGHT_MPI_MOST_EARLY;
    forget_early(mpi, early);
    *early = (struct pinsight_mpi_early){.a = channel->item.a,
                                         .b = channel->item.b,
                                         .received_ns = state->now_ns,
                                         .posted_ns = receive->posted_ns,
                                         .bytes = bytes,
                                         .interval = pinsight_mpi_interval_ref(interval),
                                         .site = receive->site};
    state->last_early_ns = state->now_ns;
}

/* Notes the time of a message. A negative one shows that the clocks of two hosts differ. */
static void note_transit(struct pinsight_mpi *mpi, const struct pinsight_mpi_message *message,
                         uint64_t arrived_ns) {
    struct pinsight_mpi_edge *edge = &mpi->edges[message->edge];
    int64_t ns = (int64_t)(arrived_ns - message->begin_ns);

    if (!edge->timed++ || ns < edge->shortest_ns)
        edge->shortest_ns = ns;
    if (mpi->state->bounds)
        pinsight_mpi_precedes(mpi, pinsight_mpi_host(mpi, edge->comm, edge->source),
                              message->begin_ns, pinsight_mpi_host(mpi, edge->comm, edge->dest),
                              arrived_ns);
}

/* Compares the received bytes of a message with the sent ones. */
static void compare_bytes(struct pinsight_mpi *mpi, const struct pinsight_mpi_message *message,
                          uint64_t bytes) {
    if (bytes == UNKNOWN_BYTES || bytes == message->bytes)
        return;
    mpi->byte_mismatches++;
    pinsight_mpi_unsure(mpi);
}

/* Keeps the arrival of a message whose send may still come. */
static void owe(struct pinsight_mpi_state *state, struct pinsight_mpi_channel *channel,
                uint64_t bytes) {
    struct pinsight_mpi_owed *owed = pinsight_slab_take(&state->arrivals);

    *owed = (struct pinsight_mpi_owed){.ns = state->now_ns, .bytes = bytes};
    *channel->last_owed = owed;
    channel->last_owed = &owed->next;
    state->owed++;
}

/* Takes the oldest arrival of a channel for a message. */
static void take_owed(struct pinsight_mpi *mpi, const struct pinsight_mpi_message *message,
                      struct pinsight_mpi_channel *channel) {
    struct pinsight_mpi_state *state = mpi->state;
    struct pinsight_mpi_owed *owed = channel->owed;

    note_transit(mpi, message, owed->ns);
    compare_bytes(mpi, message, owed->bytes);
    channel->owed = owed->next;
    if (!channel->owed)
        channel->last_owed = &channel->owed;
    pinsight_slab_give(&state->arrivals, owed);
    state->owed--;
}

/* Takes the send of a message that was received already: by the clock of another host, or just
 * before. There is no flow, because its arrow would lead backwards. */
static void receive_before(struct pinsight_mpi *mpi, struct pinsight_mpi_message *message,
                           struct pinsight_mpi_channel *channel, struct pinsight_mpi_early *early) {
    message->matched = true;
    message->receive_site = PINSIGHT_NONE;
    mpi->matched++;
    mpi->edges[message->edge].matched++;
    if (early) {
        compare_bytes(mpi, message, early->bytes);
        message->receive_site = early->site;
        message->posted_ns = early->posted_ns;
        pinsight_mpi_charge(mpi, early->interval, PINSIGHT_MPI_LATE_SENDER, message->site,
                            message->begin_ns);
        forget_early(mpi, early);
    }
    pinsight_mpi_channel_drop(mpi, channel);
}

struct pinsight_mpi_message *pinsight_mpi_send(struct pinsight_mpi *mpi,
                                               const struct pinsight_mpi_rank *rank, uint32_t site,
                                               const struct pinsight_mpi_call *call, uint64_t ns) {
    const struct pinsight_mpi_handle *handle = pinsight_mpi_handle_of(rank, call->comm);
    uint32_t dest = handle ? peer(mpi, handle, call->dest) : PINSIGHT_NONE;
    struct pinsight_mpi_channel *channel;
    struct pinsight_mpi_message *message;
    struct pinsight_mpi_early *early;
    struct pinsight_mpi_edge *edge;

    if (call->dest == PINSIGHT_MPI_PROC_NULL)
        return NULL;
    mpi->sends++;
    count_size(mpi, call->bytes, 1);
    if (dest == PINSIGHT_NONE)
        return NULL;
    edge = pinsight_mpi_edge_of(mpi, handle->comm, handle->me, dest);
    edge->messages++;
    edge->bytes += call->bytes;
    if (mpi->comms[handle->comm].is_partial)
        return NULL;
    channel = pinsight_mpi_channel_of(mpi, handle->comm, handle->me, dest, call->tag);
    message = pinsight_slab_take(&mpi->state->messages);
    message->site = site;
    message->begin_ns = ns;
    number_flow(mpi->state, message);
    message->bytes = call->bytes;
    message->edge = (uint32_t)(edge - mpi->edges);
    if (channel->owed) {
        take_owed(mpi, message, channel);
        receive_before(mpi, message, channel, NULL);
        return message;
    }
    early = early_of(mpi->state, channel, ns);
    if (early) {
        receive_before(mpi, message, channel, early);
        return message;
    }
    if (mpi->pending >= MOST_PENDING) {
        mpi->unkept++;
        pinsight_mpi_unsure(mpi);
        pinsight_mpi_channel_drop(mpi, channel);
        pinsight_slab_give(&mpi->state->messages, message);
        return NULL;
    }
    mpi->pending++;
    message->channel = channel;
    *channel->last = message;
    channel->last = &message->next;
    return message;
}

uint64_t pinsight_mpi_posted_ns(const struct pinsight_mpi_message *message) {
    const struct pinsight_mpi_channel *channel = message->channel;

    if (message->matched)
        return message->receive_site == PINSIGHT_NONE ? 0 : message->posted_ns;
    return channel && channel->first == message && channel->receives ? channel->receives->posted_ns
                                                                     : 0;
}

void pinsight_mpi_sent(struct pinsight_mpi *mpi, struct pinsight_mpi_message *message,
                       struct pinsight_mpi_interval *interval) {
    if (!message || message->sent)
        return;
    message->sent = true;
    message->interval = pinsight_mpi_interval_ref(interval);
    settle(mpi, message);
}

void pinsight_mpi_withdraw(struct pinsight_mpi *mpi, struct pinsight_mpi_message *message) {
    struct pinsight_mpi_channel *channel = message ? message->channel : NULL;
    struct pinsight_mpi_message **at;

    if (!channel)
        return;
    for (at = &channel->first; *at != message; at = &(*at)->next)
        continue;
    *at = message->next;
    if (!message->next)
        channel->last = at;
    mpi->edges[message->edge].messages--;
    mpi->edges[message->edge].bytes -= message->bytes;
    mpi->sends--;
    mpi->pending--;
    count_size(mpi, message->bytes, -1);
    pinsight_slab_give(&mpi->state->messages, message);
    pinsight_mpi_channel_drop(mpi, channel);
}

struct pinsight_mpi_receive *pinsight_mpi_post(struct pinsight_mpi *mpi,
                                               struct pinsight_mpi_rank *rank, uint32_t site,
                                               uint32_t comm, int32_t source, int32_t tag,
                                               uint64_t ns) {
    const struct pinsight_mpi_handle *handle = pinsight_mpi_handle_of(rank, comm);
    struct pinsight_mpi_receive *receive;
    uint32_t from;

    if (source == PINSIGHT_MPI_PROC_NULL || !handle)
        return NULL;
    receive = pinsight_slab_take(&mpi->state->receives);
    *receive = (struct pinsight_mpi_receive){.rank = rank,
                                             .site = site,
                                             .function = mpi->sites[site].function,
                                             .comm = handle->comm,
                                             .me = handle->me,
                                             .remote = handle->remote,
                                             .posted_ns = ns,
                                             .order = rank->posted++,
                                             .source = source,
                                             .tag = tag};
    from = peer(mpi, handle, source);
    if (from != PINSIGHT_NONE && tag != PINSIGHT_MPI_ANY) {
        receive->channel = pinsight_mpi_channel_of(mpi, handle->comm, from, handle->me, tag);
        *receive->channel->last_receive = receive;
        receive->channel->last_receive = &receive->next;
    }
    return receive;
}

/* Returns whether the send of a received message may still come: the clock of the sender's host
 * differs, or the host has no events yet. */
static bool may_come(const struct pinsight_mpi *mpi, uint32_t comm, uint32_t from, uint32_t me) {
    uint32_t world, sender = pinsight_mpi_member(mpi, comm, from, &world);
    uint32_t receiver = pinsight_mpi_member(mpi, comm, me, &world);

    return mpi->state->owed < MOST_OWED && receiver != PINSIGHT_NONE &&
           (sender == PINSIGHT_NONE ||
            mpi->ranks[sender]->process->host != mpi->ranks[receiver]->process->host);
}

static void show_flow(const struct pinsight_mpi_state *state,
                      const struct pinsight_mpi_message *message) {
    struct pinsight_thread *thread = state->now ? state->now->thread : NULL;

    if (thread && message->track)
        pinsight_flow_made(thread->process->model,
                           &(struct pinsight_flow){.kind = PINSIGHT_FLOW_MESSAGE,
                                                   .number = message->flow,
                                                   .bytes = message->bytes,
                                                   .from = message->track,
                                                   .from_ns = message->begin_ns,
                                                   .to = pinsight_track_of(thread),
                                                   .to_ns = state->now_ns});
}

static void match(struct pinsight_mpi *mpi, struct pinsight_mpi_message *message,
                  const struct pinsight_mpi_receive *receive, uint64_t bytes,
                  struct pinsight_mpi_interval *interval) {
    mpi->matched++;
    mpi->edges[message->edge].matched++;
    compare_bytes(mpi, message, bytes);
    mpi->pending--;
    message->matched = true;
    note_transit(mpi, message, mpi->state->now_ns);
    show_flow(mpi->state, message);
    message->receive_site = receive->site;
    message->posted_ns = receive->posted_ns;
    pinsight_mpi_charge(mpi, interval, PINSIGHT_MPI_LATE_SENDER, message->site, message->begin_ns);
    settle(mpi, message);
}

/* Receives a message of a matching probe: the first similar one, because the message's handle is
 * not recorded. Returns whether its send was seen. */
static bool receive_probed(struct pinsight_mpi *mpi, const struct pinsight_mpi_receive *receive,
                           int32_t source, int32_t tag, uint64_t bytes,
                           struct pinsight_mpi_interval *interval) {
    struct pinsight_mpi_probed_message **at = &receive->rank->probed, *probed;
    struct pinsight_mpi_message *message;

    while (*at && ((*at)->source != source || (*at)->tag != tag || (*at)->bytes != bytes))
        at = &(*at)->next;
    probed = *at;
    if (!probed)
        return false;
    *at = probed->next;
    pinsight_mpi_edge_of(mpi, probed->comm, probed->from, probed->me)->received++;
    pinsight_mpi_report_received(mpi, receive, probed->comm, probed->me, probed->from, tag, bytes);
    message = probed->message;
    if (message)
        match(mpi, message, receive, bytes, interval);
    pinsight_slab_give(&mpi->state->probed, probed);
    return message != NULL;
}

bool pinsight_mpi_received(struct pinsight_mpi *mpi, struct pinsight_mpi_receive *receive,
                           int32_t source, int32_t tag, uint64_t bytes,
                           struct pinsight_mpi_interval *interval) {
    struct pinsight_mpi_handle handle = {receive->comm, receive->me, receive->remote};
    struct pinsight_mpi_channel *channel = receive->channel;
    struct pinsight_mpi_message *message;
    uint32_t before = 0, from = PINSIGHT_NONE;
    bool seen = false;

    mpi->receives++;
    if (source == PINSIGHT_MPI_ANY)
        bytes = UNKNOWN_BYTES;
    if (receive->is_probed) {
        seen = receive_probed(mpi, receive, source, tag, bytes, interval);
    } else if (channel) {
        from = (uint32_t)(channel->item.b >> 32);
        before = pinsight_mpi_channel_take_out(receive);
    } else if ((from = peer(mpi, &handle, source)) != PINSIGHT_NONE) {
        channel = pinsight_mpi_channel_of(mpi, receive->comm, from, receive->me, tag);
        before = pinsight_mpi_channel_posted_before(channel, receive->order);
    }
    if (channel) {
        pinsight_mpi_edge_of(mpi, receive->comm, from, receive->me)->received++;
        message = pinsight_mpi_channel_take(mpi, channel, before);
        pinsight_mpi_report_received(mpi, receive, receive->comm, receive->me, from,
                                     pinsight_mpi_channel_tag(channel),
                                     bytes != UNKNOWN_BYTES ? bytes
                                     : message              ? message->bytes
                                                            : 0);
        seen = message != NULL;
        if (message)
            match(mpi, message, receive, bytes, interval);
        else if (pinsight_mpi_channel_is_partial(mpi, channel))
            ; /* the message cannot be identified */
        else if (may_come(mpi, receive->comm, from, receive->me))
            owe(mpi->state, channel, bytes);
        else
            note_early(mpi, channel, receive, bytes, interval);
        pinsight_mpi_channel_drop(mpi, channel);
    }
    pinsight_slab_give(&mpi->state->receives, receive);
    return seen;
}

void pinsight_mpi_unpost(struct pinsight_mpi *mpi, struct pinsight_mpi_receive *receive) {
    if (receive->channel) {
        pinsight_mpi_channel_take_out(receive);
        pinsight_mpi_channel_drop(mpi, receive->channel);
    }
    pinsight_slab_give(&mpi->state->receives, receive);
}

struct pinsight_mpi_receive *pinsight_mpi_post_probed(struct pinsight_mpi *mpi,
                                                      struct pinsight_mpi_rank *rank, uint32_t site,
                                                      uint64_t ns) {
    struct pinsight_mpi_receive *receive = pinsight_slab_take(&mpi->state->receives);

    *receive = (struct pinsight_mpi_receive){.rank = rank,
                                             .is_probed = true,
                                             .site = site,
                                             .function = mpi->sites[site].function,
                                             .posted_ns = ns,
                                             .source = PINSIGHT_MPI_PROC_NULL};
    return receive;
}

bool pinsight_mpi_probed(struct pinsight_mpi *mpi, struct pinsight_mpi_rank *rank, uint32_t comm,
                         const struct pinsight_mpi_result *result, bool removes,
                         struct pinsight_mpi_interval *interval) {
    const struct pinsight_mpi_handle *handle = pinsight_mpi_handle_of(rank, comm);
    uint32_t from = handle ? peer(mpi, handle, result->source) : PINSIGHT_NONE, before;
    struct pinsight_mpi_channel *channel;
    struct pinsight_mpi_message *message;

    if (from == PINSIGHT_NONE)
        return false;
    channel = pinsight_mpi_channel_of(mpi, handle->comm, from, handle->me, result->tag);
    before = pinsight_mpi_channel_posted_before(channel, rank->posted);
    if (removes) {
        struct pinsight_mpi_probed_message **at = &rank->probed, *probed;

        message = pinsight_mpi_channel_take(mpi, channel, before);
        probed = pinsight_slab_take(&mpi->state->probed);
        *probed = (struct pinsight_mpi_probed_message){.message = message,
                                                       .comm = handle->comm,
                                                       .from = from,
                                                       .me = handle->me,
                                                       .source = result->source,
                                                       .tag = result->tag,
                                                       .bytes = result->bytes};
        while (*at)
            at = &(*at)->next;
        *at = probed;
    } else {
        for (message = channel->first; message && before--;)
            message = message->next;
    }
    if (message)
        pinsight_mpi_charge(mpi, interval, PINSIGHT_MPI_LATE_SENDER, message->site,
                            message->begin_ns);
    pinsight_mpi_channel_drop(mpi, channel);
    return message != NULL;
}

/* Messages and receives between two members; see channel.h. */
#include "reader/mpi/channel.h"

struct pinsight_mpi_channel *pinsight_mpi_channel_of(struct pinsight_mpi *mpi, uint32_t comm,
                                                     uint32_t source, uint32_t dest, int32_t tag) {
    uint64_t a = (uint64_t)comm << 32 | (uint32_t)tag, b = (uint64_t)source << 32 | dest;
    struct pinsight_mpi_channel *channel = pinsight_pool_find(&mpi->state->channels, a, b);

    if (channel)
        return channel;
    channel = pinsight_pool_add(&mpi->state->channels, a, b);
    channel->first = NULL;
    channel->last = &channel->first;
    channel->receives = NULL;
    channel->last_receive = &channel->receives;
    channel->owed = NULL;
    channel->last_owed = &channel->owed;
    return channel;
}

int32_t pinsight_mpi_channel_tag(const struct pinsight_mpi_channel *channel) {
    return (int32_t)(uint32_t)channel->item.a;
}

void pinsight_mpi_channel_drop(struct pinsight_mpi *mpi, struct pinsight_mpi_channel *channel) {
    if (!channel->first && !channel->receives && !channel->owed)
        pinsight_pool_remove(&mpi->state->channels, channel);
}

uint32_t pinsight_mpi_channel_take_out(struct pinsight_mpi_receive *receive) {
    struct pinsight_mpi_channel *channel = receive->channel;
    struct pinsight_mpi_receive **at = &channel->receives;
    uint32_t before = 0;

    for (; *at != receive; at = &(*at)->next)
        before++;
    *at = receive->next;
    if (!receive->next)
        channel->last_receive = at;
    return before;
}

bool pinsight_mpi_channel_is_partial(const struct pinsight_mpi *mpi,
                                     const struct pinsight_mpi_channel *channel) {
    return mpi->comms[channel->item.a >> 32].is_partial;
}

struct pinsight_mpi_message *pinsight_mpi_channel_take(const struct pinsight_mpi *mpi,
                                                       struct pinsight_mpi_channel *channel,
                                                       uint32_t before) {
    struct pinsight_mpi_message **at = &channel->first, *message;

    if (pinsight_mpi_channel_is_partial(mpi, channel))
        return NULL;
    while (*at && before--)
        at = &(*at)->next;
    message = *at;
    if (!message)
        return NULL;
    *at = message->next;
    if (!message->next)
        channel->last = at;
    message->next = NULL;
    message->channel = NULL;
    return message;
}

uint32_t pinsight_mpi_channel_posted_before(const struct pinsight_mpi_channel *channel,
                                            uint64_t order) {
    uint32_t before = 0;

    for (const struct pinsight_mpi_receive *other = channel->receives; other; other = other->next)
        before += other->order < order;
    return before;
}

/* Channels. A channel has the messages from one member of a communicator to another with one tag,
 * and the receives that name exactly these, each in their order. Not thread-safe. */
#ifndef PINSIGHT_READER_MPI_CHANNEL_H
#define PINSIGHT_READER_MPI_CHANNEL_H

#include "reader/mpi/state.h"

/* Return the channel, which is made at the first call; and its tag. */
struct pinsight_mpi_channel *pinsight_mpi_channel_of(struct pinsight_mpi *mpi, uint32_t comm,
                                                     uint32_t source, uint32_t dest, int32_t tag);
int32_t pinsight_mpi_channel_tag(const struct pinsight_mpi_channel *channel);

/* Frees the channel if it is empty. */
void pinsight_mpi_channel_drop(struct pinsight_mpi *mpi, struct pinsight_mpi_channel *channel);

/* Removes a receive from its channel. Returns the number of receives in the channel that were
 * posted before it. */
uint32_t pinsight_mpi_channel_take_out(struct pinsight_mpi_receive *receive);

/* Returns whether messages of a channel are not matched, because the recording of a member begins
 * late. */
bool pinsight_mpi_channel_is_partial(const struct pinsight_mpi *mpi,
                                     const struct pinsight_mpi_channel *channel);

/* Returns the message for a receive: the first one after those that `before` earlier receives will
 * take. */
struct pinsight_mpi_message *pinsight_mpi_channel_take(const struct pinsight_mpi *mpi,
                                                       struct pinsight_mpi_channel *channel,
                                                       uint32_t before);

/* Returns the number of receives in a channel that were posted before another one. */
uint32_t pinsight_mpi_channel_posted_before(const struct pinsight_mpi_channel *channel,
                                            uint64_t order);

#endif

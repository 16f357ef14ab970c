/* Channels: the messages that one member of a communicator sends to another with one tag, and the
 * receives that name just these, each in their order. Not thread-safe. */
#ifndef PINSIGHT_READER_MPI_CHANNEL_H
#define PINSIGHT_READER_MPI_CHANNEL_H

#include "reader/mpi/state.h"

/* The channel, made at its first mention; and its tag. */
struct pinsight_mpi_channel *pinsight_mpi_channel_of(struct pinsight_mpi *mpi, uint32_t comm,
                                                     uint32_t source, uint32_t dest, int32_t tag);
int32_t pinsight_mpi_channel_tag(const struct pinsight_mpi_channel *channel);

/* Forgets the channel where nothing waits in it any more. */
void pinsight_mpi_channel_drop(struct pinsight_mpi *mpi, struct pinsight_mpi_channel *channel);

/* Takes a receive out of its channel; returns how many that were posted before it are there. */
uint32_t pinsight_mpi_channel_take_out(struct pinsight_mpi_receive *receive);

/* Whether messages of a channel are not matched: the recording of a member begins late. */
bool pinsight_mpi_channel_begins_late(const struct pinsight_mpi *mpi,
                                      const struct pinsight_mpi_channel *channel);

/* The message that this receive takes: that after those which earlier receives will take. */
struct pinsight_mpi_message *pinsight_mpi_channel_take(const struct pinsight_mpi *mpi,
                                                       struct pinsight_mpi_channel *channel,
                                                       uint32_t before);

/* Receives that are in a channel and were posted before another one. */
uint32_t pinsight_mpi_channel_posted_before(const struct pinsight_mpi_channel *channel,
                                            uint64_t order);

#endif

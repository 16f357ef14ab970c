/* Relates the clocks of several hosts' folders, by the events clock_sync of their processes. */
#ifndef PINSIGHT_READER_CTF_DECODER_CLOCKS_H
#define PINSIGHT_READER_CTF_DECODER_CLOCKS_H

#include "reader/ctf/decoder.h"

/* Returns whether the folders are of several hosts. */
bool decoder_has_hosts(const struct decoder *decoder);

/*
 * Converts a folder's times to the clock of the first folder that has such events. Two moments are
 * equal if real time was equal on both hosts, and its host has no correction of its own. Called
 * once for each folder, in their order, after its streams were found.
 */
void decoder_join_clock(struct decoder *decoder, struct decoder_folder *folder);

#endif

/* Clocks of the folders of several hosts, brought together by what their processes recorded of them
 * (clock_sync). */
#ifndef PINSIGHT_READER_CTF_DECODER_CLOCKS_H
#define PINSIGHT_READER_CTF_DECODER_CLOCKS_H

#include "reader/ctf/decoder.h"

/*
 * Has a folder's times told by the clock of the first folder that has such events: two moments are
 * one where real time was the same on both hosts. To be called once for each folder, in their
 * order, after its streams were found.
 */
void decoder_join_clock(struct decoder *decoder, struct decoder_folder *folder);

#endif

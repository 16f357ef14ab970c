/* Flight recorders of a trace's processes, and the readable part of their events. */
#ifndef PINSIGHT_READER_CTF_DECODER_RINGS_H
#define PINSIGHT_READER_CTF_DECODER_RINGS_H

#include "reader/ctf/decoder.h"

/* Finds the rings of a folder's processes. Called after its streams were found, so that events that
 * were dropped meanwhile are known. */
void decoder_find_rings(struct decoder *decoder, const struct decoder_folder *folder);

/* Adds to the result the processes of which only a part was kept. Called after the reading. */
void decoder_report_rings(const struct decoder *decoder, struct pinsight_source_result *result);

#endif

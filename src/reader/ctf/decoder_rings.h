/* Which processes of a trace have flight recorders, and what of them can be read. */
#ifndef PINSIGHT_READER_CTF_DECODER_RINGS_H
#define PINSIGHT_READER_CTF_DECODER_RINGS_H

#include "reader/ctf/decoder.h"

/* Finds the rings of a folder's processes, after its streams: what is dropped meanwhile is known
 * then. */
void decoder_find_rings(struct decoder *decoder, const struct decoder_folder *folder);

/* After the reading: says in the result of which processes a part is there. */
void decoder_report_rings(const struct decoder *decoder, struct pinsight_source_result *result);

#endif

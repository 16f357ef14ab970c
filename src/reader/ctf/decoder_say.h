/* What the decoder cannot read, in words. */
#ifndef PINSIGHT_READER_CTF_DECODER_SAY_H
#define PINSIGHT_READER_CTF_DECODER_SAY_H

#include "reader/ctf/decoder.h"

/* Says why nothing of a trace can be read. Takes over why. */
void decoder_give_up(struct decoder *decoder, const struct decoder_folder *folder, char *why,
                     struct pinsight_source_result *result);

/* Why a folder's metadata is of no use; to be freed. */
char *decoder_why_no_metadata(const char *folder);

/* Says what is damaged of a stream file. */
void decoder_warn_of(struct decoder *decoder, const struct decoder_folder *folder,
                     const struct ctf_file *file, enum ctf_file_state state,
                     struct pinsight_source_result *result);

#endif

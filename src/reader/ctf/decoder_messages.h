/* What the decoder cannot read, in words. */
#ifndef PINSIGHT_READER_CTF_DECODER_SAY_H
#define PINSIGHT_READER_CTF_DECODER_SAY_H

#include "reader/ctf/decoder.h"

/* Says why nothing of a trace can be read. Takes over why. */
void decoder_give_up(struct decoder *decoder, const struct decoder_folder *folder, char *why,
                     struct pinsight_source_result *result);

/* Why a folder's metadata is of no use; to be freed. */
char *decoder_why_no_metadata(const char *folder);

/* Where the metadata of a folder, as text, is of a newer form of PInsight's traces than is known: a
 * message for the user, to be freed; else NULL. */
char *decoder_why_newer(const char *folder, const char *text);

/* Says what is damaged of a stream file. */
void decoder_warn_of(struct decoder *decoder, const struct decoder_folder *folder,
                     const struct ctf_file *file, enum ctf_file_state state,
                     struct pinsight_source_result *result);

/* Says that a stream's file, which is whole otherwise, is shorter than it was by so many bytes. */
void decoder_warn_of_lack(const struct decoder_folder *folder, const struct ctf_file *file,
                          uint64_t bytes, struct pinsight_source_result *result);

/* Reads which streams the folder had when it was finished. */
void decoder_read_noted(struct decoder_folder *folder);

/* Warns of streams that the folder had when it was finished, and that are gone. */
void decoder_warn_of_missing(struct decoder *decoder, struct decoder_folder *folder,
                             struct pinsight_source_result *result);

#endif

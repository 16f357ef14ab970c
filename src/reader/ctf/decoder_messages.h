/* Messages about data that the decoder cannot read. */
#ifndef PINSIGHT_READER_CTF_DECODER_SAY_H
#define PINSIGHT_READER_CTF_DECODER_SAY_H

#include "reader/ctf/decoder.h"

/* Reports why nothing of a trace can be read. Takes ownership of `why`. */
void decoder_give_up(struct decoder *decoder, const struct decoder_folder *folder, char *why,
                     struct pinsight_source_result *result);

/* Returns why a folder's metadata is useless; the caller frees it. */
char *decoder_why_no_metadata(const struct decoder_folder *folder);

/* Returns a message for the user if the metadata is of a newer form of PInsight than this version
 * knows, else NULL. The caller frees it. */
char *decoder_why_newer(const char *folder, const char *text);

/* Reports the damage of a stream file. */
void decoder_warn_of(struct decoder *decoder, const struct decoder_folder *folder,
                     const struct ctf_file *file, enum ctf_file_state state,
                     struct pinsight_source_result *result);

/* Reports a stream file that cannot be opened. `error` is an errno. */
void decoder_warn_of_closed(const struct decoder_folder *folder, const char *path, int error,
                            struct pinsight_source_result *result);

/* Reports a folder, a pipe or a link to nothing with the name of a stream of PInsight that is not
 * in the list of streams. */
void decoder_warn_of_other(struct decoder_folder *folder, const char *path,
                           struct pinsight_source_result *result);

/* Reads the list of streams that the folder had when it was finished. */
void decoder_read_noted(struct decoder_folder *folder);

/* Reports streams in that list that are gone. */
void decoder_warn_of_missing(struct decoder *decoder, struct decoder_folder *folder,
                             struct pinsight_source_result *result);

#endif

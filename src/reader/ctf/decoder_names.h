/* The names of a folder's streams, which may be files, buffers, or members of an archive. */
#ifndef PINSIGHT_READER_CTF_DECODER_NAMES_H
#define PINSIGHT_READER_CTF_DECODER_NAMES_H

#include "reader/ctf/decoder.h"

/* Sorted paths of stream files, without duplicates. The path of an archive's member is that of the
 * file from which it was made. */
struct decoder_names {
    char **names;
    size_t count, capacity;
};

/* Lists the streams of a folder, and reads the list of its archive into folder->packed. Adds a
 * warning to the result if the archive is damaged. */
struct decoder_names decoder_list_names(struct decoder_folder *folder,
                                        struct pinsight_source_result *result);

/* Returns the member of the folder's archive for a path, or NULL. An archive that was made after
 * decoder_list_names() is found, too. Keeps errno. */
const struct pinsight_packed_member *decoder_find_packed(struct decoder_folder *folder,
                                                         const char *path);

void decoder_free_names(struct decoder_names *list);

/* Returns whether a folder is of PInsight's file recorder. */
bool decoder_is_ours(const struct decoder_folder *folder);

#endif

/* Makes the files of format/persistent_file.h. */
#ifndef PINSIGHT_RECORD_FILE_PERSISTENT_H
#define PINSIGHT_RECORD_FILE_PERSISTENT_H

#include "format/layout.h"
#include "format/persistent_file.h"

#include <stdint.h>

/* Writes the name of the file number `at` of the stream of `head`. */
void pinsight_persistent_name(const struct pinsight_buffer_head *head, uint32_t at,
                              char name[PINSIGHT_PERSISTENT_NAME]);

/* The function `keep` of the file recorder. */
void *pinsight_persistent_allocate(uint64_t bytes);

#endif

/* The head of the metadata of a trace: what is of this trace alone. */
#ifndef PINSIGHT_RECORD_FILE_METADATA_H
#define PINSIGHT_RECORD_FILE_METADATA_H

#include <stdio.h>

#include "record/file/layout.h"

/* Writes the identity of a trace as metadata has it. */
void pinsight_file_uuid_text(char text[37], const uint8_t uuid[16]);

/* Writes the declarations of the trace, its clock and its environment. */
void pinsight_file_metadata_head(FILE *out, const struct pinsight_control *control);

/* Puts the numbers of the clock right in the metadata of a folder, from what the control page has
 * now. Returns 0 or an errno. */
int pinsight_file_metadata_clock(int folder, const struct pinsight_control *control);

#endif

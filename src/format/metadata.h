/* The head of a trace's metadata: the part that differs between traces. */
#ifndef PINSIGHT_FORMAT_METADATA_H
#define PINSIGHT_FORMAT_METADATA_H

#include <stdio.h>

#include "format/layout.h"

/* Writes the identity of a trace in the form of the metadata. */
void pinsight_file_uuid_text(char text[37], const uint8_t uuid[16]);

/* Writes the declarations of the trace, its clock and its environment. */
void pinsight_file_metadata_head(FILE *out, const struct pinsight_control *control);

/* Corrects the numbers of the clock in the metadata of a folder, from the present content of the
 * control page. Returns 0 or an errno. */
int pinsight_file_metadata_clock(int folder, const struct pinsight_control *control);

#endif

/* What the traced processes of a run said on stderr and a summary is to tell too: each message is a
 * small file in the output folder, made by the first process that had it to say
 * (src/preload/say.c).
 */
#ifndef PINSIGHT_BASE_SAID_H
#define PINSIGHT_BASE_SAID_H

#include <stdbool.h>
#include <stddef.h>

/* Reads the message of a topic as a sentence, with a capital and a full stop; what is no printable
 * text in it is "?". False and "" where nobody said it. */
bool pinsight_said_read(const char *output, const char *topic, char *sentence, size_t room);

#endif

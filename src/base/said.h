/* Messages of traced processes that the summary repeats. Each message is a small file in the output
 * folder, written by the first process that printed it (src/preload/say.c).
 */
#ifndef PINSIGHT_BASE_SAID_H
#define PINSIGHT_BASE_SAID_H

#include <stdbool.h>
#include <stddef.h>

/* Reads the message of a topic as a sentence, with a capital and a full stop. Unprintable bytes
 * become
 * "?". Writes "" and returns false if no process printed it. */
bool pinsight_said_read(const char *output, const char *topic, char *sentence, size_t room);

#endif

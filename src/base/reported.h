/* Messages of traced processes that the summary repeats. Each message is a small file in the output
 * folder, written by the first process that printed it (src/tracer/preload/messages.c).
 */
#ifndef PINSIGHT_BASE_REPORTED_H
#define PINSIGHT_BASE_REPORTED_H

#include <stdbool.h>
#include <stddef.h>

/* Makes the mark of a topic in `output`, an absolute path or NULL. Returns a descriptor to write
 * the message to. Returns -1 if there is no such folder, or if the mark exists already; then sets
 * *reported. */
int pinsight_reported_mark(const char *output, const char *topic, bool *reported);

/* Reads the message of a topic as a sentence, with a capital and a full stop. Unprintable bytes
 * become "?". Writes "" and returns false if no process printed it. */
bool pinsight_reported_read(const char *output, const char *topic, char *sentence, size_t room);

/* Writes the endings of all noted topics that begin with `prefix`, in no order, for example "3.14,
 * 3.15". Writes "" if there are none. */
void pinsight_reported_list(const char *output, const char *prefix, char *list, size_t room);

#endif

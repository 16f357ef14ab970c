/* Messages of traced processes that the summary repeats. Each message is a small file in the output
 * folder, written by the first process that printed it (src/preload/messages.c).
 */
#ifndef PINSIGHT_BASE_REPORTED_H
#define PINSIGHT_BASE_REPORTED_H

#include <stdbool.h>
#include <stddef.h>

/* Makes the mark of a topic in `output`, an absolute path (NULL: none). Returns a descriptor to
 * write the message to; -1 where there is no such folder, or, with *said, where it was made before.
 */
int pinsight_reported_mark(const char *output, const char *topic, bool *reported);

/* Reads the message of a topic as a sentence, with a capital and a full stop. Unprintable bytes
 * become "?". Writes "" and returns false if no process printed it. */
bool pinsight_reported_read(const char *output, const char *topic, char *sentence, size_t room);

/* Writes how the topics go on that were printed and begin with `prefix`: "3.14, 3.15", in no order;
 * "" for none. */
void pinsight_reported_list(const char *output, const char *prefix, char *list, size_t room);

#endif

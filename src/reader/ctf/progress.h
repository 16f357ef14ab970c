/* The progress of a long reading: one line on stderr, which is rewritten in place and removed at
 * the end. */
#ifndef PINSIGHT_READER_CTF_PROGRESS_H
#define PINSIGHT_READER_CTF_PROGRESS_H

#include <stdint.h>

/* Shows the progress. Called often; shows nothing in the first second, and then a few times a
 * second. */
void pinsight_progress_show(uint64_t events);

/* Removes the line. */
void pinsight_progress_end(void);

#endif

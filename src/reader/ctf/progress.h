/* How far a long reading is: one line of stderr, rewritten in place, and gone at the end. */
#ifndef PINSIGHT_READER_CTF_PROGRESS_H
#define PINSIGHT_READER_CTF_PROGRESS_H

#include <stdint.h>

/* To be called often; shows nothing in the first second, and then a few times a second. */
void pinsight_progress_show(uint64_t events);

/* Takes the line away. */
void pinsight_progress_end(void);

#endif

/* Files of what MONITORING counts (record/kept.h), which has to be found when its process is gone:
 * a struct pinsight_buffer_head, of which only what says whose it is counts, and then the chunk. */
#ifndef PINSIGHT_RECORD_FILE_KEEP_H
#define PINSIGHT_RECORD_FILE_KEEP_H

#include "record/file/layout.h"

#include <stdint.h>

#define PINSIGHT_KEPT_MAGIC 0x31747043736e4950u /* "PInsCpt1" */

/* .PID-START-N-counts-K: the K-th file of a process, of which the stream N comes. */
#define PINSIGHT_KEPT_INFIX "-counts-"
enum { PINSIGHT_KEPT_NAME = 112 };
void pinsight_kept_name(const struct pinsight_buffer_head *head, uint32_t at,
                        char name[PINSIGHT_KEPT_NAME]);

/* `keep` of the file recorder. */
void *pinsight_keep(uint64_t bytes);

#endif

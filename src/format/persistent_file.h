/* Files of the counts of MONITORING (format/persistent.h), which can be found after the end of
 * their process. A file is a struct pinsight_buffer_head, in which only the identity of the process
 * is used, and the chunk. */
#ifndef PINSIGHT_FORMAT_PERSISTENT_FILE_H
#define PINSIGHT_FORMAT_PERSISTENT_FILE_H

#include <stdint.h>

#define PINSIGHT_PERSISTENT_MAGIC 0x31747043736e4950u /* "PInsCpt1" */

/* The infix of a name: .PID-START-N-counts-K is the K-th file of a process, from which the stream N
 * is made. */
#define PINSIGHT_PERSISTENT_INFIX "-counts-"
enum { PINSIGHT_PERSISTENT_NAME = 112 };

#endif

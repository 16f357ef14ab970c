/* What is mapped into this process. */
#ifndef PINSIGHT_BASE_MAPPING_H
#define PINSIGHT_BASE_MAPPING_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the path of the file that is mapped at an address, cut off where there is no more room;
 * false where none is. Uses neither the heap nor a lock: as safe in a signal handler as read(2). */
bool pinsight_mapping_file(const void *address, char *path, size_t room);

#endif

/* Files that are mapped into this process. */
#ifndef PINSIGHT_BASE_MAPPING_H
#define PINSIGHT_BASE_MAPPING_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the path of the file that is mapped at an address, cut off at `room` bytes. Returns false
 * if no file is mapped there. Uses neither the heap nor a lock. Async-signal-safe. */
bool pinsight_mapping_file(const void *address, char *path, size_t room);

#endif

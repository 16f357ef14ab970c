/* Loaded objects of the process, for the libraries that stand before a runtime. */
#ifndef PINSIGHT_PRELOAD_LOADED_H
#define PINSIGHT_PRELOAD_LOADED_H

#include <link.h>

/* Returns the object that has code or data at an address. Returns NULL for the address NULL, and if
 * no object has it. Any thread. */
struct link_map *pinsight_loaded_at(const void *address);

/* Opens a loaded object once more. The caller closes the handle. Returns NULL for NULL, and if the
 * object is being unloaded. Any thread. */
void *pinsight_loaded_open(const struct link_map *map);

/* Calls `look` with handles of the loaded objects with `part` in their paths, until `look` returns
 * a value. Returns that value, or NULL. The handles are closed afterwards. Any thread that may wait
 * for the dynamic linker. */
void *pinsight_loaded_find(const char *part, void *(*look)(void *object));

#endif

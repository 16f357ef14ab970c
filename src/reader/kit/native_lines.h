/* Source lines and symbols of places in native code. libdw finds both in the object files of this
 * machine. Without libdw there are none. Not thread-safe. */
#ifndef PINSIGHT_READER_KIT_NATIVE_LINES_H
#define PINSIGHT_READER_KIT_NATIVE_LINES_H

#include <stdint.h>

struct pinsight_native_lines;

/* Makes a reader. The reader ignores object files that changed after `until_ns` (nanoseconds since
 * 1970), because the trace does not describe them; 0 is no limit. */
struct pinsight_native_lines *pinsight_native_lines_new(uint64_t until_ns);
void pinsight_native_lines_free(struct pinsight_native_lines *lines);

/* Finds the code at an offset of an object, which is the address after a call. Sets *file and *line
 * if they are known. Returns the symbol, or NULL. `recorded` is the symbol in the trace, or "". If
 * the object has no such symbol there, the trace does not describe it, and there is no result. The
 * texts live as long as `lines`. */
const char *pinsight_native_line(struct pinsight_native_lines *lines, const char *object,
                                 uint64_t offset, const char *recorded, const char **file,
                                 int32_t *line);

#endif

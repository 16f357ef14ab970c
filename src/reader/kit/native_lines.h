/* Source lines and symbols of places in native code, from the object files of this machine (libdw;
 * without it there are none). Not thread-safe. */
#ifndef PINSIGHT_READER_KIT_NATIVE_LINES_H
#define PINSIGHT_READER_KIT_NATIVE_LINES_H

#include <stdint.h>

struct pinsight_native_lines;

/* An object file that changed after this time (nanoseconds since 1970) is another one than the
 * trace is about, and not looked at; 0 is no limit. */
struct pinsight_native_lines *pinsight_native_lines_new(uint64_t until_ns);
void pinsight_native_lines_free(struct pinsight_native_lines *lines);

/* What is at an offset of an object, the address after a call: sets *file and *line where that is
 * known, and returns the symbol, or NULL. recorded is the symbol as the trace has it, "" without;
 * where the object has no such symbol there, it is another one than the trace is about. The texts
 * live as long as lines. */
const char *pinsight_native_line(struct pinsight_native_lines *lines, const char *object,
                                 uint64_t offset, const char *recorded, const char **file,
                                 int32_t *line);

#endif

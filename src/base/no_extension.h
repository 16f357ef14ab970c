/* Reasons why PInsight has no extension for a version of Python. The build writes them beside the
 * extensions. */
#ifndef PINSIGHT_BASE_NO_EXTENSION_H
#define PINSIGHT_BASE_NO_EXTENSION_H

#include <stdbool.h>
#include <stddef.h>

/* Writes to `why` the reason that the build in `libdir` noted for the Python with a tag ("3.12",
 * "3.13t"). Writes "" and returns false if the build did not find that Python. */
bool pinsight_why_no_extension(const char *libdir, const char *tag, char *why, size_t size);

#endif

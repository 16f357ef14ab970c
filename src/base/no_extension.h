/* Why there is no extension for a Python. The build leaves a line beside where it would be. */
#ifndef PINSIGHT_BASE_NO_EXTENSION_H
#define PINSIGHT_BASE_NO_EXTENSION_H

#include <stdbool.h>
#include <stddef.h>

/* Writes into `why` what the build of `libdir` says of the Python with that tag ("3.12", "3.13t").
 * Returns false, and writes "", where it says nothing: it did not meet that Python. */
bool pinsight_why_no_extension(const char *libdir, const char *tag, char *why, size_t size);

#endif

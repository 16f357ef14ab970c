/* The native libraries of installed Python packages, as far as they matter to OpenMP. */
#ifndef PINSIGHT_RUNTIMES_PACKAGES_H
#define PINSIGHT_RUNTIMES_PACKAGES_H

#include "runtimes/command.h"
#include "runtimes/objects.h"

/*
 * Looks at what the packages of a Python carry and link: bundled runtimes (numpy.libs, torch/lib),
 * the extension modules of each package and what those need. The search ends after a number of
 * folders and files, and after `limit_ms`; objects->cut_short says so.
 */
void pinsight_packages_look(struct pinsight_objects *objects,
                            const struct pinsight_command *command, int limit_ms);

#endif

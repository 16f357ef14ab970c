/* The native libraries of installed Python packages that concern OpenMP. */
#ifndef PINSIGHT_RUNTIMES_PACKAGES_H
#define PINSIGHT_RUNTIMES_PACKAGES_H

#include "runtimes/command.h"
#include "runtimes/objects.h"

/*
 * Examines the libraries of a Python's packages: bundled runtimes (numpy.libs, torch/lib), the
 * extension modules, and the libraries that they need. The search ends after a number of folders
 * and files, or after `limit_ms` milliseconds; objects->cut_short is then true.
 */
void pinsight_packages_look(struct pinsight_objects *objects,
                            const struct pinsight_command *command, int limit_ms);

#endif

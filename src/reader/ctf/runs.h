/* Which run a folder is of, where more than one folder was given than `pinsight run` wrote. */
#ifndef PINSIGHT_READER_CTF_RUNS_H
#define PINSIGHT_READER_CTF_RUNS_H

#include <stdbool.h>

/* Whether `pinsight run` wrote into a folder. */
bool pinsight_is_run(const char *folder);

/* The folder to read for `path`: itself where it is a trace or has no run in it; the one run that
 * is in it, or in a folder in it; itself where the runs in it are those of one job's hosts. To be
 * freed. *known is whether it is a trace or a run, or has one in it. NULL where there are several
 * runs, with a message in *problem, to be freed, that names them. Looks two levels down and no
 * further. */
char *pinsight_runs_choose(const char *path, bool *known, char **problem);

#endif

/* Which run a folder is of, where more than one folder was given than `pinsight run` wrote. */
#ifndef PINSIGHT_READER_CTF_RUNS_H
#define PINSIGHT_READER_CTF_RUNS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether `pinsight run` wrote into a folder. */
bool pinsight_is_run(const char *folder);

/* The folder to read for `path`: itself where it is a trace or has no run in it; the one run that
 * is in it, or in a folder in it; itself where the runs in it are those of one job's hosts. To be
 * freed. *known is whether it is a trace or a run, or has one in it. NULL where there are several
 * runs, with a message in *problem, to be freed, that names them. Looks two levels down and no
 * further. */
char *pinsight_runs_choose(const char *path, bool *known, char **problem);

/* The newest run in a folder: the folder itself where it is one, else the one of those in it that
 * began last, or of those that began in the same second ended last; the hosts of a job are one. To
 * be freed. *count is how many there are. NULL where there is none. */
char *pinsight_runs_newest(const char *path, size_t *count);

#endif

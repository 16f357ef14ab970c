/* Finds the folder of a run, if the user gave a folder that contains runs. */
#ifndef PINSIGHT_READER_CTF_RUNS_H
#define PINSIGHT_READER_CTF_RUNS_H

#include <stdbool.h>
#include <stddef.h>

/* Returns whether `pinsight run` wrote into a folder. */
bool pinsight_is_run(const char *folder);

/* Returns the folder to read for `path`; the caller frees it. It is `path` itself if that is a
 * trace or contains no run, or if its runs belong to one job's hosts. It is the run in `path`, or
 * in a folder in it, if there is only one. Sets *known to whether `path` is or contains a trace or
 * a run. If there are several runs, returns NULL, with a message in *problem that names them and
 * that the caller frees. Looks at two levels of folders. */
char *pinsight_runs_choose(const char *path, bool *known, char **problem);

/* Returns the newest run in a folder: the folder itself if it is a run, else the run in it that
 * began last. Of runs that began in the same second, the one that ended last is the newest. The
 * hosts of a job count as one run. Sets *count to the number of runs. The caller frees the result.
 * Returns NULL if there is no run. */
char *pinsight_runs_newest(const char *path, size_t *count);

#endif

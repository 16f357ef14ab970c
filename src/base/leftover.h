/* Files and folders that are not to outlive the process: the copies that a damaged trace is read
 * from, and outputs until they are whole. Who makes one notes it here and forgets it when it is
 * gone or has its name; who ends the process in another way than by returning removes what is
 * noted. */
#ifndef PINSIGHT_BASE_LEFTOVER_H
#define PINSIGHT_BASE_LEFTOVER_H

#include <signal.h>

/* Holds signals back while something is made and noted. *before is for the release. */
void pinsight_leftover_hold(sigset_t *before);
void pinsight_leftover_release(const sigset_t *before);

/* Notes a file, or a folder with all that will be in it. The path is copied. Not from several
 * threads at once. More than 16 are not noted. */
void pinsight_leftover_note(const char *path);

/* What was noted has gone or stays. No harm where it was not noted. */
void pinsight_leftover_forget(const char *path);

/* Removes all that is noted. May be called from a signal handler, at any moment. */
void pinsight_leftover_remove(void);

#endif

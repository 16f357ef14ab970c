/* A process that is to be recorded while it runs: whether it can be, and what has to be done else.
 */
#ifndef PINSIGHT_ATTACH_TARGET_H
#define PINSIGHT_ATTACH_TARGET_H

#include "attach/runtime.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

enum { PINSIGHT_TARGET_WORDS = 256 };

struct pinsight_attach_target {
    int pid;
    uid_t uid;
    gid_t gid;
    char name[32]; /* of the program, as the kernel has it */
    struct pinsight_runtime runtime;
    char tag[16];                             /* of its Python: "3.14", "3.14t" */
    char extension[PATH_MAX];                 /* for it; "": only the plain one is there */
    char plain[PATH_MAX];                     /* "": none */
    char words[8192];                         /* of its command line */
    char *command[PINSIGHT_TARGET_WORDS + 1]; /* in words, ended by NULL */
};

/*
 * Looks at a process. `libdir` is the folder of PInsight's libraries, which the process is to
 * load; NULL: it is only looked at. `verb` is what the user
 * asked for, as in "attach", for the cures. False with a message in `why`: what is in the way, and
 * what to do.
 */
bool pinsight_target_look(struct pinsight_attach_target *target, int pid, const char *libdir,
                          const char *verb, char *why, size_t room);

/* Why the kernel does not let this process look at that one, and what to do. */
void pinsight_target_refused(int pid, const char *verb, char *why, size_t room);

#endif

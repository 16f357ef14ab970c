/* A running process that is to be recorded, and the reasons why it cannot be. */
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
    char name[32]; /* of the program, from the kernel */
    struct pinsight_runtime runtime;
    char tag[16];             /* version of its Python: "3.14", "3.14t" */
    char extension[PATH_MAX]; /* the extension for it; "" if there is only the plain one */
    char plain[PATH_MAX];     /* the extension in the plain form; "" if there is none */
    char words[8192];         /* text of the command line */
    char *command[PINSIGHT_TARGET_WORDS + 1]; /* the words in it, ended by NULL */
};

/*
 * Examines a process. `libdir` is the folder of PInsight's libraries, which the process will load;
 * NULL if it is only examined. `verb` is the user's verb, such as "attach", for the cures in
 * messages. Returns false with a message in `why`, of the reason and the cure.
 */
bool pinsight_target_look(struct pinsight_attach_target *target, int pid, const char *libdir,
                          const char *verb, char *why, size_t room);

/* Writes the reason why the kernel does not let this process examine that one, and the cure. */
void pinsight_target_refused(int pid, const char *verb, char *why, size_t room);

#endif

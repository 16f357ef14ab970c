/*
 * Finds the program that a command will run. Follows `#!` lines, and `env` and other commands that
 * start their arguments, to an ELF program. If that is a Python, finds its version and the folders
 * of its packages. Nothing is executed.
 */
#ifndef PINSIGHT_RUNTIMES_COMMAND_H
#define PINSIGHT_RUNTIMES_COMMAND_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum { PINSIGHT_SITES_MAX = 24 };

struct pinsight_command {
    char program[PATH_MAX]; /* the ELF file; "" if unknown, for example for a shell script */
    bool is_python;
    /* The rest describes a Python: */
    bool is_debug;                   /* a debug build */
    char version[16];                /* such as 3.11 or 3.13t; "" if unknown */
    char prefix[PATH_MAX];           /* sys.prefix; "" if unknown */
    char script_folder[PATH_MAX];    /* of the script that it runs; "" if there is none */
    char *sites[PINSIGHT_SITES_MAX]; /* folders of sys.path that contain packages; allocated */
    size_t site_count;
};

/* Examines a command, whose words end with NULL. The caller frees the result with
 * pinsight_command_free(). */
void pinsight_command_look(struct pinsight_command *command, char *const *words);

/* Like pinsight_command_look(), for an interpreter without arguments. */
void pinsight_command_look_at(struct pinsight_command *command, const char *interpreter);

/* Frees the members. */
void pinsight_command_free(struct pinsight_command *command);

#endif

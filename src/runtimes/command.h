/*
 * What a command will really run: past `#!` lines, `env` and other commands that start their
 * arguments, the ELF program, and if that is a Python, which Python and where its packages are.
 * Nothing is executed.
 */
#ifndef PINSIGHT_RUNTIMES_COMMAND_H
#define PINSIGHT_RUNTIMES_COMMAND_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum { PINSIGHT_SITES_MAX = 24 };

struct pinsight_command {
    char program[PATH_MAX]; /* the ELF file; "": it cannot be told (a shell script, ...) */
    bool is_python;
    /* Of a Python: */
    char version[16];                /* 3.11, 3.13t; "": not known */
    char prefix[PATH_MAX];           /* sys.prefix; "": not known */
    char script_folder[PATH_MAX];    /* of the script that it runs; "": none */
    char *sites[PINSIGHT_SITES_MAX]; /* folders of sys.path where packages are; allocated */
    size_t site_count;
};

/* Looks at a command, whose words end with NULL. Free with pinsight_command_free. */
void pinsight_command_look(struct pinsight_command *command, char *const *words);

/* The same for one interpreter without arguments. */
void pinsight_command_look_at(struct pinsight_command *command, const char *interpreter);

void pinsight_command_free(struct pinsight_command *command);

#endif

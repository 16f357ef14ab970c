/* What the verbs of `pinsight config` share. */
#ifndef PINSIGHT_CLI_CONFIG_OPTIONS_H
#define PINSIGHT_CLI_CONFIG_OPTIONS_H

#include "config/config.h"

/* Each reads its own arguments, argv[0] is the verb, and returns an exit status. */
int pinsight_cmd_config_check(int argc, char **argv);
int pinsight_cmd_config_show(int argc, char **argv);
int pinsight_cmd_config_init(int argc, char **argv);

/*
 * Reads a configuration for this build's domains; `path` may be NULL. Every mistake is a line on
 * stderr, and a last one how many there are. Returns it, or NULL.
 */
struct pinsight_config *pinsight_config_load(const char *path,
                                             const char *(*environment)(const char *name));

/* Flushes stdout; returns the exit status: 0, or 1 after a message. */
int pinsight_config_flush(void);

/* The environment as pinsight_config_read takes it. */
const char *pinsight_config_getenv(const char *name);

#endif

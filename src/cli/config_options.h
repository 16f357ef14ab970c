/* What the verbs of `pinsight config` share. */
#ifndef PINSIGHT_CLI_CONFIG_OPTIONS_H
#define PINSIGHT_CLI_CONFIG_OPTIONS_H

#include "cli/options.h"
#include "config/config.h"

/* What the options of `show` and `init` ask for; NULL without. */
struct config_wanted {
    const char *path, *region, *output;
};

/* Their options, of those that the help of `pinsight config` has. */
extern const struct cli_verb cli_config_check, cli_config_show, cli_config_init;

/* Each reads its own arguments, argv[0] is the verb, and returns an exit status. */
int pinsight_cmd_config_check(int argc, char **argv);
int pinsight_cmd_config_show(int argc, char **argv);
int pinsight_cmd_config_init(int argc, char **argv);

/* Reads the options of `show` or `init`, which take no arguments; `letter` is of the option that
 * names a file. Returns true; or false with the exit status. */
bool pinsight_config_options(const struct cli_verb *verb, char letter, int argc, char **argv,
                             struct config_wanted *wanted, int *status);

/*
 * Reads a configuration for this build's domains; `path` may be NULL. Every mistake is a line on
 * stderr, and a last one how many there are. Returns it, or NULL.
 */
struct pinsight_config *pinsight_config_load(const char *path,
                                             const char *(*environment)(const char *name));

/* A setting's value and a section's limits as a file has them, until the next call of the same
 * function. */
const char *pinsight_config_text_of(const struct pinsight_config *config,
                                    const struct pinsight_config_setting *setting);
const char *pinsight_config_limits_of(const struct pinsight_config *config,
                                      const struct pinsight_config_section *section);

/* Flushes stdout; returns the exit status: 0, or 1 after a message. */
int pinsight_config_flush(void);

/* The environment as pinsight_config_read takes it. */
const char *pinsight_config_getenv(const char *name);

#endif

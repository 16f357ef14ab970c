/* Declarations that the verbs of `pinsight config` share. */
#ifndef PINSIGHT_CLI_CONFIG_OPTIONS_H
#define PINSIGHT_CLI_CONFIG_OPTIONS_H

#include "cli/options.h"
#include "config/config.h"

/* Values of the options of `show` and `init`; NULL if not given. */
struct config_wanted {
    const char *path, *region, *output;
};

/* The verbs with the parts of the option table of `pinsight config` that each has. */
extern const struct cli_verb cli_config_check, cli_config_show, cli_config_init;

/* Run a verb, and return its exit status. argv[0] is the name of the verb. */
int pinsight_cmd_config_check(int argc, char **argv);
int pinsight_cmd_config_show(int argc, char **argv);
int pinsight_cmd_config_init(int argc, char **argv);

/* Reads the options of `show` or `init`, which take no arguments. `letter` is that of the option
 * that names a file. Returns true, or false with the exit status after help or a message. */
bool pinsight_config_options(const struct cli_verb *verb, char letter, int argc, char **argv,
                             struct config_wanted *wanted, int *status);

/*
 * Reads a configuration for the domains of this build. `path` may be NULL. Writes a line to stderr
 * for each mistake, and one with the number of omitted mistakes. Returns the configuration, or
 * NULL.
 */
struct pinsight_config *pinsight_config_load(const char *path,
                                             const char *(*environment)(const char *name));

/* Return a setting's value and a section's limits in the form of a file. The text is valid until
 * the next call of the same function. */
const char *pinsight_config_text_of(const struct pinsight_config *config,
                                    const struct pinsight_config_setting *setting);
const char *pinsight_config_limits_of(const struct pinsight_config *config,
                                      const struct pinsight_config_section *section);

/* Flushes stdout. Returns the exit status: 0, or 1 after a message. */
int pinsight_config_flush(void);

/* Returns a variable of the environment, in the form that pinsight_config_read() needs. */
const char *pinsight_config_getenv(const char *name);

#endif

/* The configuration that `pinsight run` passes to its command. */
#include "cli/run_config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "base/paths.h"
#include "base/words.h"
#include "cli/config_options.h"
#include "describe/words.h"

static const struct pinsight_run_options *given; /* valid while the environment is read */

/* Returns a variable as the command will have it: the value of an option, or else the one in the
 * environment. */
static const char *variable_of_command(const char *name) {
    const struct {
        const char *name, *value;
    } options[] = {
        {"PINSIGHT_DOMAINS", given->domains}, {"PINSIGHT_EVENTS", given->events},
        {"PINSIGHT_NAMES", given->names},     {"PINSIGHT_LINES", given->lines},
        {"PINSIGHT_BUDGET", given->budget},
    };
    static const char *const modes[] = {PINSIGHT_MODE_VARIABLES};

    for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
        const char *value = options[i].value;
        if (value != NULL && *value != '\0' && strcmp(options[i].name, name) == 0) {
            return value;
        }
    }
    for (size_t i = 0; given->mode != NULL && i < sizeof(modes) / sizeof(*modes); i++) {
        if (strcmp(modes[i], name) == 0) {
            return given->mode;
        }
    }
    return pinsight_env_get(name);
}

/* Returns whether the configuration is an ordinary file. Every process reads it, and again at a
 * reload, which a pipe does not permit. */
static bool check_kind(const char *path) {
    struct stat status;

    if (stat(path, &status) != 0 || S_ISREG(status.st_mode)) {
        return true;
    }
    pinsight_error("%s: is no ordinary file; every process of the command reads the "
                   "configuration, so write it to one",
                   path);
    return false;
}

static bool make_absolute(char absolute[PATH_MAX], const char *path) {
    char folder[PATH_MAX];

    if (*path == '/') {
        snprintf(absolute, PATH_MAX, "%s", path);
        return strlen(path) < PATH_MAX;
    }
    if (getcwd(folder, sizeof(folder)) == NULL) {
        pinsight_error("%s: its folder has no name: %s; give the whole path", path,
                       strerror(errno));
        return false;
    }
    if (!pinsight_path_join(absolute, folder, path)) {
        pinsight_error("%s: its whole path is too long", path);
        return false;
    }
    return true;
}

/* Writes the events in the form of the option --events. */
static void list_events(const struct pinsight_description *domain, uint64_t events, char *text,
                        size_t room) {
    size_t used = 0;

    snprintf(text, room, "none");
    for (size_t i = 0; i < domain->event_count; i++) {
        if ((events >> i & 1) != 0 && used < room) {
            used += (size_t)snprintf(text + used, room - used, "%s%s", used > 0 ? "," : "",
                                     domain->events[i].name);
        }
    }
}

static const char *domains_of(const struct pinsight_run_options *options) {
    return *options->domains != '\0' ? options->domains : pinsight_env_get("PINSIGHT_DOMAINS");
}

/* Adds the tools of an observed domain to the list, for these kinds of events. */
static void take_tools(struct pinsight_run_config *config,
                       const struct pinsight_description *domain, uint64_t events) {
    struct pinsight_env_tool *to = config->tools;

    while (to->variable != NULL) {
        to++;
    }
    for (const struct pinsight_tool *tool = domain->tools;
         tool != NULL && tool->variable != NULL && to < config->tools + PINSIGHT_ENV_TOOLS;
         tool++) {
        *to++ = (struct pinsight_env_tool){tool->variable, domain->tool_library,
                                           (events >> tool->kind & 1) != 0 ? tool->also : NULL};
    }
}

/* Returns whether every variable PINSIGHT_TRACE_… is of a domain. Otherwise no domain would read
 * it. */
static bool check_variables(void) {
    static const char *const known[] = {PINSIGHT_MODE_VARIABLES, NULL};
    static const char prefix[] = "PINSIGHT_TRACE_";
    extern char **environ;

    for (char **at = environ; at != NULL && *at != NULL; at++) {
        const size_t length = strcspn(*at, "=");
        char name[64], all[512];
        if (strncmp(*at, prefix, sizeof(prefix) - 1) != 0 || (*at)[length] == '\0' ||
            (*at)[length + 1] == '\0' || length >= sizeof(name)) {
            continue;
        }
        snprintf(name, sizeof(name), "%.*s", (int)length, *at);
        if (pinsight_word_index(name, length, known) >= 0) {
            continue;
        }
        const char *meant = pinsight_word_meant(name, known);
        pinsight_error("%s is of no domain; %s%s%s", name, meant != NULL ? "did you mean " : "use ",
                       meant != NULL ? meant : pinsight_word_list(known, all, sizeof(all)),
                       meant != NULL ? "?" : "");
        return false;
    }
    return true;
}

bool pinsight_run_config_read(struct pinsight_run_config *config,
                              const struct pinsight_run_options *options) {
    memset(config, 0, sizeof(*config));
    if (options->leave_environments) {
        setenv("PINSIGHT_LEAVE_ENVIRONMENTS", "1", 1); /* the command inherits it */
    }
    if (!check_variables()) {
        return false;
    }
    given = options;
    struct pinsight_config *read = pinsight_config_load(options->config, variable_of_command);
    given = NULL;
    if (read == NULL) {
        return false;
    }
    bool good =
        read->path == NULL || (check_kind(read->path) && make_absolute(config->path, read->path));
    for (unsigned i = 0; good && i < read->domain_count; i++) {
        const struct pinsight_description *domain = &read->domains[i];
        bool observed =
            pinsight_config_domain_setting(read, i, PINSIGHT_KEY_TRACE_MODE, NULL)->mode !=
            PINSIGHT_MODE_OFF;
        if (observed) {
            take_tools(config, domain,
                       pinsight_config_domain_setting(read, i, PINSIGHT_KEY_EVENTS, NULL)->events);
        }
        if (strcmp(domain->name, "Python") == 0) {
            config->registry =
                options->recorder->numbers_alone ||
                pinsight_config_domain_setting(read, i, PINSIGHT_KEY_NAMES, NULL)->registry;
            list_events(domain,
                        pinsight_config_domain_setting(read, i, PINSIGHT_KEY_EVENTS, NULL)->events,
                        config->events, sizeof(config->events));
        } else if (strcmp(domain->name, "OpenMP") == 0) {
            const char *named = domains_of(options);
            config->openmp = observed;
            config->openmp_asked = config->openmp && named != NULL && *named != '\0';
        } else if (strcmp(domain->name, "MPI") == 0) {
            config->mpi = observed;
        } else if (strcmp(domain->name, "BLAS") == 0) {
            config->blas = observed;
        }
    }
    pinsight_config_free(read);
    return good;
}

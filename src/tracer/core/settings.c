/* The current configuration; see settings.h. */
#include "tracer/core/settings.h"

#include "tracer/core/grace.h"
#include "tracer/core/info.h"
#include "tracer/core/log.h"
#include "tracer/core/mode.h"
#include "tracer/core/process.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static struct pinsight_config *_Atomic current;
static char *path;

_Atomic uint32_t pinsight_settings_number = 1;
_Atomic uint32_t pinsight_window_version = 1;

const struct pinsight_config *pinsight_settings_begin(void) {
    pinsight_reader_enters();
    return atomic_load_explicit(&current, memory_order_acquire);
}

void pinsight_settings_end(void) {
    pinsight_reader_leaves();
}

/* Increases the version of the configuration, and the decision version with it: hot paths compare
 * only the latter. */
static void next_number(void) {
    if (atomic_fetch_add(&pinsight_settings_number, 1) == UINT32_MAX)
        atomic_fetch_add(&pinsight_settings_number, 1);
    pinsight_decision_version_next();
}

void pinsight_window_version_next(void) {
    atomic_fetch_add(&pinsight_window_version, 1);
    next_number();
}

void pinsight_windows_reset(void) {
    pinsight_window_version_next();
    PINSIGHT_EACH_DOMAIN(domain) {
        pinsight_domain_settings_changed(domain);
    }
}

const char *pinsight_settings_path(void) {
    return path ? path : "";
}

int pinsight_settings_domain(const char *name) {
    for (size_t i = 0; i < pinsight_config_domain_count; i++)
        if (strcasecmp(pinsight_config_domains[i].name, name) == 0)
            return (int)i;
    return -1;
}

/* Returns this process's number as a unit of a domain. */
static int64_t unit_of(const void *data, unsigned domain, unsigned punit) {
    (void)data;
    const struct pinsight_description *description = &pinsight_config_domains[domain];
    if (strcmp(description->punit_kinds[punit], "rank") == 0)
        return pinsight_process.rank;
    return -1;
}

const struct pinsight_config_place pinsight_settings_place = {.unit = unit_of};

enum pinsight_mode pinsight_settings_mode(const char *name) {
    int domain = pinsight_settings_domain(name);
    if (domain < 0)
        return PINSIGHT_MODE_TRACING;
    const struct pinsight_config *config = pinsight_settings_begin();
    enum pinsight_mode mode = PINSIGHT_MODE_TRACING;
    if (config)
        mode = pinsight_config_domain_setting(config, (unsigned)domain, PINSIGHT_KEY_TRACE_MODE,
                                              &pinsight_settings_place)
                   ->mode;
    pinsight_settings_end();
    return mode;
}

/* PInsight's own variables as they were at the first reading, ended by NULL. The program may change
 * its environment at any moment, and getenv() in another thread could then crash. */
static char **variables;

static void keep_variables(void) {
    size_t count = 0, kept = 0;
    while (environ && environ[count])
        count++;
    if (!(variables = calloc(count + 1, sizeof *variables)))
        return;
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], "PINSIGHT_", 9) == 0 && (variables[kept] = strdup(environ[i])))
            kept++;
}

static const char *environment(const char *name) {
    size_t length = strlen(name);
    for (char **at = variables; at && *at; at++)
        if (strncmp(*at, name, length) == 0 && (*at)[length] == '=')
            return *at + length + 1;
    return NULL;
}

static struct pinsight_config *read_file(const char *file, bool with_environment,
                                         struct pinsight_config_errors *errors) {
    struct pinsight_config_input input = {
        .domains = pinsight_config_domains,
        .domain_count = pinsight_config_domain_count,
        .path = file && *file ? file : NULL,
        .environment = with_environment ? environment : NULL,
    };
    return pinsight_config_read(&input, errors);
}

/* Writes the first error, as "hpc.ini:3:5: ...", and the number of further ones. */
static void format_errors(const struct pinsight_config_errors *errors, char *text, size_t room) {
    const struct pinsight_config_error *first = &errors->list[0];
    int length = 0;
    if (errors->path && first->line)
        length = snprintf(text, room, "%s:%u:%u: ", errors->path, first->line, first->column);
    else if (errors->path)
        length = snprintf(text, room, "%s: ", errors->path);
    if (length >= 0 && (size_t)length < room)
        length +=
            snprintf(text + length, room - (size_t)length, "%s", errors->count ? first->text : "");
    size_t more = errors->count + errors->omitted - (errors->count > 0);
    if (more > 0 && (size_t)length < room)
        snprintf(text + length, room - (size_t)length,
                 " (and %zu more; `pinsight config check` lists them)", more);
}

int pinsight_settings_start(char *error, size_t room) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static char *wrong;
    int result = 0;

    pthread_mutex_lock(&lock);
    if (!current) {
        struct pinsight_config_errors *errors = malloc(sizeof *errors);
        keep_variables();
        const char *file = environment("PINSIGHT_CONFIG");
        pinsight_process.rank = pinsight_process_find_rank();
        path = file ? strdup(file) : NULL;
        struct pinsight_config *config = errors ? read_file(NULL, true, errors) : NULL;
        if (!config && errors) {
            format_errors(errors, error, room);
            wrong = strdup(error);
            config = read_file(NULL, false, errors); /* the defaults alone */
        }
        free(errors);
        pthread_atfork(NULL, NULL, pinsight_readers_fork_child);
        atomic_store_explicit(&current, config, memory_order_release);
    }
    if (wrong) {
        snprintf(error, room, "%s", wrong);
        result = -1;
    }
    pthread_mutex_unlock(&lock);
    return result;
}

/* Applies the modes of the configuration. A mode that a size limit or a dead daemon took away is
 * refused: apply_mode checks both. */
static void put_modes(const char *reason, char *text, size_t room) {
    size_t length = strlen(text);
    PINSIGHT_EACH_DOMAIN(domain) {
        enum pinsight_mode from = pinsight_domain_mode(domain);
        enum pinsight_mode to = pinsight_settings_mode(domain->name);
        if (from == to) {
            pinsight_domain_settings_changed(domain);
            continue;
        }
        char why[128] = "";
        bool refused = false;
        if (pinsight_domain_set_mode(domain, to, reason) != 0) {
            refused = true;
            pinsight_domain_refusal(domain, why, sizeof why);
            /* the other settings are in force all the same */
            pinsight_domain_settings_changed(domain);
        }
        if (length < room)
            length += (size_t)snprintf(text + length, room - length, ", %s %s -> %s%s%s",
                                       domain->name, pinsight_mode_name(from),
                                       pinsight_mode_name(to), refused ? " is refused" : "", why);
    }
}

int pinsight_settings_use(const char *file, char *error, size_t room) {
    struct pinsight_config_errors *errors = malloc(sizeof *errors);
    struct pinsight_config *config = errors ? read_file(file, true, errors) : NULL;
    char *name = config && *file ? strdup(file) : NULL;

    if (!errors)
        snprintf(error, room, "no memory to read the configuration");
    else if (!config)
        format_errors(errors, error, room);
    free(errors);
    if (!config)
        return -1;
    struct pinsight_config *old = atomic_exchange(&current, config);
    free(path);
    path = name;
    next_number();
    pinsight_readers_wait();
    pinsight_config_free(old);
    PINSIGHT_EACH_DOMAIN(domain) {
        pinsight_domain_set_mode(domain, pinsight_settings_mode(domain->name), "attach");
    }
    return 0;
}

int pinsight_settings_reload(const char *reason, struct pinsight_answer *answer) {
    struct pinsight_config_errors *errors = malloc(sizeof *errors);
    struct pinsight_config *config = NULL, *old = NULL;

    answer->message[0] = '\0';
    if (!*pinsight_settings_path()) {
        answer->failed = true;
        snprintf(answer->message, sizeof answer->message,
                 "there is no configuration file to read again; start the run with -c FILE, or set "
                 "PINSIGHT_CONFIG");
    } else if (!errors || !(config = read_file(path, true, errors))) {
        answer->failed = true;
        if (errors)
            format_errors(errors, answer->message, sizeof answer->message);
        else
            snprintf(answer->message, sizeof answer->message, "no memory to read %s", path);
    }
    free(errors);
    if (config) {
        old = current; /* only this thread writes it */
        atomic_store_explicit(&current, config, memory_order_release);
        next_number();
        snprintf(answer->message, sizeof answer->message, "%s is in force", path);
        put_modes(reason, answer->message, sizeof answer->message);
    }
    answer->config_version = pinsight_config_version();
    pinsight_info_config_change(answer->config_version, reason, answer->failed, answer->message);
    if (old) { /* last, because it waits for readers */
        pinsight_readers_wait();
        pinsight_config_free(old);
    }
    return answer->failed ? -1 : 0;
}

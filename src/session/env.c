/* The environment of a command; see env.h. */
#include "session/env.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/paths.h"
#include "describe/words.h"
#include "format/ring_head.h"
#include "format/variables.h"
#include "session/recorder.h"

static const char session_variable[] = "PINSIGHT_SESSION";
/* Names of variables that a run has set for foreign libraries. src/tracer/preload/libc/environ.c
 * restores them, too. */
static const char set_variable[] = "PINSIGHT_SET";
/* The run's part of LD_PRELOAD. src/tracer/preload/libc/environ.c restores it if a program removes
 * it. */
static const char own_preload[] = "PINSIGHT_PRELOAD";
/* Set if the run is within the command of a parallel job's launcher, whose later children know
 * nothing of the run. */
static const char launched_variable[] = "PINSIGHT_LAUNCHED";
static const char *const rank_variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                             "SLURM_PROCID"};

/* Variables of a run for the processes of its command. An outer run's values are removed. */
static const char *const own_variables[] = {
    "PINSIGHT_LIBDIR",          session_variable,       PINSIGHT_JOIN_VARIABLE,
    "PINSIGHT_OUTPUT",          "PINSIGHT_LOSSLESS",    "PINSIGHT_MAX_SIZE",
    "PINSIGHT_QUIET",           PINSIGHT_HOST_VARIABLE, own_preload,
    "PINSIGHT_PUT_BACK",        launched_variable,      set_variable,
    PINSIGHT_RECORDER_VARIABLE,
};
/* Variables that an option or the user sets. An outer run's values are removed, too. */
static const char *const chosen_variables[] = {
    "PINSIGHT_CONFIG", "PINSIGHT_DOMAINS", "PINSIGHT_EVENTS",      "PINSIGHT_NAMES",
    "PINSIGHT_LINES",  "PINSIGHT_BUDGET",  PINSIGHT_RING_VARIABLE, PINSIGHT_RING_SIGNAL_VARIABLE,
};
/* One variable for each domain. The user's values are kept, also within a run. */
static const char *const mode_variables[] = {PINSIGHT_MODE_VARIABLES};
enum { MODES = sizeof(mode_variables) / sizeof(*mode_variables) };
static const char preload_variable[] = "LD_PRELOAD";
/* OpenMP 5.1, 6.21: libraries in which a runtime looks for a tool. */
static const char tool_variable[] = "OMP_TOOL_LIBRARIES";

enum { ALSO_MAX = 8, OWN_MAX = 35 + PINSIGHT_ENV_TOOLS * (1 + ALSO_MAX) };

struct builder {
    char **variables;
    size_t count;
    bool failed;
};

static bool is_named(const char *variable, const char *name) {
    size_t length = strlen(name);

    return strncmp(variable, name, length) == 0 && variable[length] == '=';
}

static bool is_given(const char *value) {
    return value != NULL && *value != '\0';
}

bool pinsight_env_is_tool(const struct pinsight_env_tool *tool, const char *value) {
    const char *slash = strrchr(value, '/');

    return strcmp(slash != NULL ? slash + 1 : value, tool->library) == 0;
}

/* Returns whether a variable's name is in `list`, whose words are separated by colons. */
static bool is_in_list(const char *variable, const char *list) {
    size_t length = strcspn(variable, "=");

    for (const char *at = list; *at != '\0'; at += *at == ':') {
        size_t word = strcspn(at, ":");
        if (word == length && strncmp(at, variable, length) == 0) {
            return true;
        }
        at += word;
    }
    return false;
}

/* Returns whether a variable is removed from the environment. `nested` means that an outer run has
 * set it up, and `set` lists the variables that the outer run has set for foreign libraries. */
static bool is_own(const char *variable, const struct pinsight_env *env, bool nested,
                   const char *set) {
    const char *const chosen[] = {env->config, env->domains, env->events, env->names,
                                  env->lines,  env->budget,  env->ring,   env->ring_signal};
    _Static_assert(sizeof(chosen) == sizeof(chosen_variables), "one for each variable");

    for (size_t i = 0; i < sizeof(own_variables) / sizeof(*own_variables); i++) {
        if (is_named(variable, own_variables[i])) {
            return true;
        }
    }
    for (const struct pinsight_recorder_variable *at = pinsight_recorder_variables.set;
         at->name != NULL; at++) {
        if (at->is_runs && strncmp(variable, at->name, strlen(at->name)) == 0) {
            return true;
        }
    }
    for (size_t i = 0; i < sizeof(chosen) / sizeof(*chosen); i++) {
        if (is_named(variable, chosen_variables[i])) {
            return nested || is_given(chosen[i]);
        }
    }
    for (size_t i = 0; i < MODES; i++) {
        if (env->mode != NULL && is_named(variable, mode_variables[i])) {
            return true;
        }
    }
    for (const struct pinsight_env_tool *tool = env->tools; tool->variable != NULL; tool++) {
        if (is_named(variable, tool->variable)) {
            return pinsight_env_is_tool(tool, strchr(variable, '=') + 1);
        }
    }
    if (is_in_list(variable, set)) {
        return true;
    }
    if (is_named(variable, tool_variable)) {
        const char *ours = strstr(variable, "/" PINSIGHT_OPENMP_TOOL);
        return ours != NULL && strchr(variable, ':') == NULL;
    }
    return (env->preload != NULL && is_named(variable, preload_variable));
}

__attribute__((format(printf, 2, 3))) static void add(struct builder *builder, const char *format,
                                                      ...) {
    va_list arguments;
    char *text = NULL;

    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0) {
        text = NULL;
    }
    va_end(arguments);
    if (text == NULL) {
        builder->failed = true;
    } else {
        builder->variables[builder->count++] = text;
    }
}

static void add_if(struct builder *builder, const char *name, const char *value) {
    if (is_given(value)) {
        add(builder, "%s=%s", name, value);
    }
}

/* Adds a tool's variable. A runtime may open the tool in a process without PInsight. The tool then
 * finds the libpinsight beside it. A recorder with a libpinsight of its own therefore has tools,
 * too. */
static void add_tool(struct builder *builder, const struct pinsight_env *env,
                     const struct pinsight_env_tool *tool) {
    char path[PATH_MAX];

    if (!is_given(env->recorder) ||
        snprintf(path, sizeof(path), "%s/%s/tool/%s", env->libdir, env->recorder, tool->library) >=
            (int)sizeof(path) ||
        access(path, R_OK) != 0) {
        snprintf(path, sizeof(path), "%s/%s", env->libdir, tool->library);
    }
    add(builder, "%s=%s", tool->variable, path);
}

/* Returns whether `path` is a word of `list`. */
static bool is_preloaded(const char *list, const char *path) {
    size_t length = strlen(path);

    for (const char *at = list; (at = strstr(at, path)) != NULL; at++) {
        if ((at == list || strchr(": ", at[-1]) != NULL) &&
            (at[length] == '\0' || strchr(": ", at[length]) != NULL)) {
            return true;
        }
    }
    return false;
}

/* Adds PInsight's libraries in front, in their order. Does not add one that is there already. The
 * rest stays. */
static void add_preload(struct builder *builder, char *const *base,
                        const struct pinsight_env *env) {
    const char *const paths[] = {env->preload, env->mpi, env->gomp, env->blas};
    const char *old = NULL, *between = "", *also = "";
    char list[4 * PATH_MAX] = "", own[4 * PATH_MAX] = "";

    for (size_t i = 0; base[i] != NULL; i++) {
        if (is_named(base[i], preload_variable)) {
            old = strchr(base[i], '=') + 1;
        }
    }
    old = old != NULL ? old : "";
    for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
        if (is_given(paths[i])) {
            size_t used = strlen(own);
            snprintf(own + used, sizeof(own) - used, "%s%s", also, paths[i]);
            also = ":";
        }
        if (is_given(paths[i]) && !is_preloaded(old, paths[i])) {
            size_t used = strlen(list);
            snprintf(list + used, sizeof(list) - used, "%s%s", between, paths[i]);
            between = ":";
        }
    }
    add_if(builder, own_preload, own);
    add(builder, "%s=%s%s%s", preload_variable, list, *list != '\0' && *old != '\0' ? ":" : "",
        old);
}

/* Returns whether a variable is set. `name` may end with =. */
static bool is_in(char *const *base, const char *name) {
    size_t length = strlen(name);

    for (size_t i = 0; base[i] != NULL; i++) {
        if (strncmp(base[i], name, length) == 0 &&
            (name[length - 1] == '=' || base[i][length] == '=')) {
            return true;
        }
    }
    return false;
}

/* Adds each tool unless its variable names another library, and its further variables unless they
 * are set. */
static void add_tools(struct builder *builder, const struct pinsight_env *env) {
    char set[1024] = "";

    for (const struct pinsight_env_tool *tool = env->tools; tool->variable != NULL; tool++) {
        if (is_in(builder->variables, tool->variable)) {
            continue;
        }
        add_tool(builder, env, tool);
        for (int i = 0; tool->also != NULL && i < ALSO_MAX && tool->also[i].name != NULL; i++) {
            size_t used = strlen(set);
            if (!is_in(builder->variables, tool->also[i].name)) {
                add(builder, "%s=%s", tool->also[i].name, tool->also[i].value);
                snprintf(set + used, sizeof(set) - used, "%s%s", used > 0 ? ":" : "",
                         tool->also[i].name);
            }
        }
    }
    add_if(builder, set_variable, set);
}

char **pinsight_env_build(char *const *base, const struct pinsight_env *env) {
    struct builder builder = {NULL, 0, false};
    char host[HOST_NAME_MAX + 1] = "";
    const char *set = "";
    bool nested = false, launched = false;
    size_t count = 0;

    while (base[count] != NULL) {
        for (size_t i = 0; i < sizeof(rank_variables) / sizeof(*rank_variables); i++) {
            launched = launched || is_named(base[count], rank_variables[i]);
        }
        nested = nested || is_named(base[count], session_variable);
        set = is_named(base[count], set_variable) ? base[count] + sizeof(set_variable) : set;
        count++;
    }
    builder.variables = calloc(count + OWN_MAX + 1, sizeof(char *));
    if (builder.variables == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        if (!is_own(base[i], env, nested, set)) {
            add(&builder, "%s", base[i]);
        }
    }
    if (env->preload != NULL) {
        add_preload(&builder, base, env);
    }
    add_if(&builder, tool_variable, env->tool);
    add_tools(&builder, env);
    add_if(&builder, "PINSIGHT_LIBDIR", env->libdir);
    add_if(&builder, PINSIGHT_RECORDER_VARIABLE, env->recorder);
    add_if(&builder, "PINSIGHT_SESSION", env->session);
    add_if(&builder, PINSIGHT_JOIN_VARIABLE, env->join);
    if (is_given(env->join) && gethostname(host, sizeof(host) - 1) == 0) {
        add_if(&builder, PINSIGHT_HOST_VARIABLE, host);
    }
    add_if(&builder, launched_variable, launched ? "1" : NULL);
    add_if(&builder, "PINSIGHT_OUTPUT", env->output);
    add_if(&builder, "PINSIGHT_CONFIG", env->config);
    add_if(&builder, "PINSIGHT_DOMAINS", env->domains);
    for (size_t i = 0; i < MODES; i++) {
        add_if(&builder, mode_variables[i], env->mode);
    }
    add_if(&builder, "PINSIGHT_EVENTS", env->events);
    add_if(&builder, "PINSIGHT_NAMES", env->names);
    add_if(&builder, "PINSIGHT_LINES", env->lines);
    add_if(&builder, "PINSIGHT_BUDGET", env->budget);
    add_if(&builder, "PINSIGHT_LOSSLESS", env->lossless ? "1" : NULL);
    add_if(&builder, "PINSIGHT_QUIET", env->quiet ? "1" : NULL);
    add_if(&builder, PINSIGHT_RING_VARIABLE, env->ring);
    add_if(&builder, PINSIGHT_RING_SIGNAL_VARIABLE, env->ring_signal);
    add(&builder, "PINSIGHT_MAX_SIZE=%" PRIu64, env->max_size);
    for (const struct pinsight_recorder_variable *at = pinsight_recorder_variables.set;
         at->name != NULL; at++) {
        if (at->is_runs || !is_in(base, at->name)) {
            add(&builder, "%s%s", at->name, at->value);
        }
    }
    if (builder.failed) {
        pinsight_env_free(builder.variables);
        return NULL;
    }
    return builder.variables;
}

void pinsight_env_free(char **variables) {
    for (size_t i = 0; variables != NULL && variables[i] != NULL; i++) {
        free(variables[i]);
    }
    free(variables);
}

const char *pinsight_env_get(const char *name) {
    for (size_t i = 0; i < sizeof(chosen_variables) / sizeof(*chosen_variables); i++) {
        if (strcmp(chosen_variables[i], name) == 0 && getenv(session_variable) != NULL) {
            return NULL;
        }
    }
    return getenv(name);
}

bool pinsight_env_find_preload(const char *libdir, const char *library, char path[PATH_MAX]) {
    char runtime[PATH_MAX], name[64], link[PATH_MAX], old[PATH_MAX];

    if (!pinsight_path_join(path, libdir, library) || access(path, R_OK) != 0) {
        return false;
    }
    if (strpbrk(path, " \t\n:") == NULL) {
        return true;
    }
    uint32_t hash = 2166136261u; /* FNV-1a, so that each folder has its own link */
    for (const char *at = libdir; *at != '\0'; at++) {
        hash = (hash ^ (unsigned char)*at) * 16777619u;
    }
    snprintf(name, sizeof(name), "lib-%08x", hash);
    if (!pinsight_path_runtime(runtime) || !pinsight_path_join(link, runtime, name)) {
        return false;
    }
    ssize_t n = readlink(link, old, sizeof(old) - 1);
    bool right = n == (ssize_t)strlen(libdir) && strncmp(old, libdir, (size_t)n) == 0;
    if (!right) {
        unlink(link);
        if (symlink(libdir, link) != 0 && errno != EEXIST) {
            return false;
        }
    }
    return strpbrk(link, " \t\n:") == NULL && pinsight_path_join(path, link, library);
}

/*
 * The variables of a run, for children that get an environment of their own.
 *
 * `subprocess.run(..., env={...})`, `env -i` and others omit the variables that make a program part
 * of the trace. Therefore each process keeps the run's variables from its start. The process adds
 * the missing variables to the environment of every program that it executes. PINSIGHT_PUT_BACK
 * names the added variables. A Python removes these from its environment before it reads it, so
 * that its os.environ has the variables from its parent. The variables come back when the program
 * starts, for libraries and for programs that libc itself executes.
 *
 * Merging may run between vfork() and exec(), in the memory of the parent. Merging allocates
 * nothing, and writes only to the room that the caller passes.
 */
#include "environ.h"

#include "libc.h"

#include "tracer/record/recorder.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PRELOAD "LD_PRELOAD="
#define MARK "PINSIGHT_PUT_BACK="
#define SESSION "PINSIGHT_SESSION="
#define LEAVE "PINSIGHT_LEAVE_ENVIRONMENTS="
/* Names of the variables that the run has set for other libraries. */
#define SET "PINSIGHT_SET="
/* The run's part of LD_PRELOAD. */
#define OURS "PINSIGHT_PRELOAD="
/* Determines the recorder's folder if the recorder's own variable is not set. */
#define HOME "HOME="
/* The variable that names the recorder's folder; NULL for none. */
#define RECORDER_HOME (pinsight_recorder_variables.home)

enum { KEPT_MAX = 48 };

struct kept {
    char *text;  /* NAME=VALUE */
    size_t name; /* the length of NAME= */
};

static struct kept kept[KEPT_MAX];
static unsigned count;      /* 0 if no variable is added to environments */
static const char *ours;    /* the run's libraries */
static const char *session; /* value of SESSION */
static const char *home;    /* HOME and its value, if RECORDER_HOME is made of it */
static bool begin_one[128]; /* first letters of the variables of interest */

static bool begins(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

static const char *find(char *const *variables, const char *name) {
    for (; variables && *variables; variables++) {
        if (begins(*variables, name)) {
            return *variables + strlen(name);
        }
    }
    return NULL;
}

/* Returns whether `list`, names with colons between them, contains the name of `variable`. */
static bool is_named(const char *variable, const char *list) {
    size_t length = strcspn(variable, "=");
    for (const char *at = list; *at; at += *at == ':') {
        size_t word = strcspn(at, ":");
        if (word == length && strncmp(at, variable, length) == 0) {
            return true;
        }
        at += word;
    }
    return false;
}

/* Returns whether a variable makes a runtime open one of our libraries. */
static bool is_tool(const char *variable) {
    const char *folder = secure_getenv("PINSIGHT_LIBDIR"), *value = strchr(variable, '=');
    const char *name = value ? strrchr(value, '/') : NULL;
    size_t length = folder ? strlen(folder) : 0;
    return length && name && !begins(variable, PRELOAD) &&
           strncmp(value + 1, folder, length) == 0 && value[1 + length] == '/' &&
           begins(name, "/libpinsight-") && !strchr(value, ':');
}

/* Returns whether a variable is set by `pinsight run`, or says which events are recorded. `set` has
 * the names in SET, or is NULL. */
static bool is_runs(const char *variable, const char *set) {
    if (begins(variable, "PINSIGHT_")) {
        return !begins(variable, MARK) && !begins(variable, LEAVE);
    }
    for (const struct pinsight_recorder_variable *at = pinsight_recorder_variables.set; at->name;
         at++) {
        if (at->is_runs && begins(variable, at->name)) {
            return true;
        }
    }
    return (RECORDER_HOME && begins(variable, RECORDER_HOME)) || is_tool(variable) ||
           (set && is_named(variable, set)) ||
           (begins(variable, "OMP_TOOL_LIBRARIES=") &&
            strstr(variable, "/libpinsight-openmp-tool.so"));
}

/* Copies two texts to *at as one, and advances *at. Returns the copy. */
static char *put(char **at, const char *start, const char *rest) {
    char *copy = *at;
    *at = stpcpy(stpcpy(copy, start), rest) + 1;
    return copy;
}

static void keep(char *text) {
    if (count < KEPT_MAX) {
        begin_one[*text & 127] = true;
        kept[count++] = (struct kept){text, (size_t)(strchr(text, '=') - text) + 1};
    }
}

static bool given(const char *value) {
    return value && *value;
}

void pinsight_environ_keep(void) {
    static char small[4096];
    const char *set = find(environ, SET);
    const char *user_home = geteuid() == 0 || !RECORDER_HOME ? NULL : find(environ, HOME);
    size_t size = 0;
    if (!secure_getenv("PINSIGHT_LIBDIR") || !given(find(environ, OURS)) ||
        given(find(environ, LEAVE))) {
        return;
    }
    for (char **at = environ; *at; at++) {
        size += is_runs(*at, set) ? strlen(*at) + 1 : 0;
    }
    if (user_home) {
        size += strlen(user_home) * 2 + strlen(RECORDER_HOME) + sizeof(HOME) + 1;
    }
    char *to = small;
    if (size > sizeof(small)) {
        to = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (to == MAP_FAILED) {
            return;
        }
    }
    for (char **at = environ; *at; at++) {
        if (is_runs(*at, set)) {
            keep(put(&to, *at, ""));
        }
    }
    if (given(user_home) && !find(environ, RECORDER_HOME)) {
        keep(put(&to, RECORDER_HOME, user_home));
        home = put(&to, HOME, user_home);
    }
    for (unsigned i = 0; i < count; i++) {
        ours = begins(kept[i].text, OURS) ? kept[i].text + kept[i].name : ours;
        session = begins(kept[i].text, SESSION) ? kept[i].text : session;
    }
    begin_one['L'] = begin_one['P'] = begin_one['H'] = true; /* LD_PRELOAD, the mark, HOME */
    count = ours && session ? count : 0;
}

PINSIGHT_EXPORT void pinsight_preload_leave(void) {
    count = 0;
}

/* Returns whether our first library is in the value of an LD_PRELOAD. */
static bool has_ours(const char *list) {
    size_t length = strcspn(ours, ":");
    for (const char *at = list; at && *at; at += strspn(at, ": ")) {
        size_t word = strcspn(at, ": ");
        if (word == length && strncmp(at, ours, length) == 0) {
            return true;
        }
        at += word;
    }
    return false;
}

struct environ_look {
    size_t entries;
    uint64_t there; /* bits for the entries of `kept` in it */
    size_t preload; /* the entry's number + 1; 0 if there is none */
    size_t mark;    /* the entry's number + 1; 0 if there is none */
    bool has_ours;
    bool leave;
};

static void look_at(struct environ_look *look, char *const *variables) {
    *look = (struct environ_look){.leave = count == 0};
    for (; !look->leave && variables && variables[look->entries]; look->entries++) {
        const char *variable = variables[look->entries];
        if (!begin_one[*variable & 127]) {
            continue;
        }
        if (begins(variable, PRELOAD) && !look->preload) {
            look->preload = look->entries + 1;
            look->has_ours = has_ours(variable + strlen(PRELOAD));
        } else if (begins(variable, MARK)) {
            look->mark = look->entries + 1;
        } else if (begins(variable, LEAVE)) {
            look->leave = variable[strlen(LEAVE)] != '\0';
        } else if (begins(variable, SESSION) && strcmp(variable, session) != 0) {
            look->leave = true; /* the session of a run in this run */
        }
        for (unsigned i = 0; i < count; i++) {
            bool is = strncmp(variable, kept[i].text, kept[i].name) == 0 ||
                      (home && begins(kept[i].text, RECORDER_HOME) && strcmp(variable, home) == 0);
            look->there |= (uint64_t)is << i;
        }
    }
}

static bool lacks_nothing(const struct environ_look *look) {
    return look->leave || (look->has_ours && look->there == (UINT64_C(1) << count) - 1);
}

size_t pinsight_environ_need(char *const *variables) {
    struct environ_look look;
    look_at(&look, variables);
    if (lacks_nothing(&look)) {
        return 0;
    }
    size_t text = sizeof(PRELOAD) + strlen(ours) + sizeof(MARK) + sizeof(PRELOAD) + 8;
    text += look.preload ? strlen(variables[look.preload - 1]) : 0;
    text += look.mark ? strlen(variables[look.mark - 1]) : 0;
    for (unsigned i = 0; i < count; i++) {
        text += kept[i].name;
    }
    return (look.entries + count + 3) * sizeof(char *) + text;
}

/* Adds a name to the mark that ends at `at`. Returns the new end. */
static char *add_name(char *at, const char *name, size_t length) {
    if (at[-1] != '=') {
        *at++ = ':';
    }
    return (char *)memcpy(at, name, length) + length;
}

char **pinsight_environ_merge(char *const *variables, void *room) {
    struct environ_look look;
    look_at(&look, variables);
    char **merged = room;
    char *text = (char *)(merged + look.entries + count + 3);
    size_t used = look.entries;
    if (used > 0) {
        memcpy(merged, variables, used * sizeof(*merged));
    }
    if (!look.has_ours) {
        const char *old = look.preload ? variables[look.preload - 1] + strlen(PRELOAD) : "";
        char *list = text;
        text = stpcpy(stpcpy(stpcpy(text, PRELOAD), ours), *old ? ":" : "");
        text = stpcpy(text, old) + 1;
        merged[look.preload ? look.preload - 1 : used++] = list;
    }
    char *mark = text;
    text = stpcpy(text, look.mark ? variables[look.mark - 1] : MARK);
    if (!look.has_ours) {
        text = add_name(text, PRELOAD, strlen(PRELOAD) - 1);
    }
    for (unsigned i = 0; i < count; i++) {
        if (!(look.there >> i & 1)) {
            merged[used++] = kept[i].text;
            text = add_name(text, kept[i].text, kept[i].name - 1);
        }
    }
    *text = '\0';
    merged[look.mark ? look.mark - 1 : used++] = mark;
    merged[used] = NULL;
    return merged;
}

void pinsight_environ_hide(void) {
    const char *mark = count ? find(environ, MARK) : NULL;
    char **to = environ;
    if (!mark) {
        return;
    }
    for (char **at = environ; *at; at++) {
        char *variable = *at;
        if (begins(variable, PRELOAD) && is_named(variable, mark)) {
            char *list = variable + strlen(PRELOAD);
            size_t length = strlen(ours);
            if (strncmp(list, ours, length) == 0 && list[length] == ':') {
                memmove(list, list + length + 1, strlen(list + length + 1) + 1);
                *to++ = variable;
            } else if (strcmp(list, ours) != 0) {
                *to++ = variable;
            }
        } else if (!begins(variable, MARK) && !is_named(variable, mark)) {
            *to++ = variable;
        }
    }
    *to = NULL;
}

void pinsight_environ_show(void) {
    size_t need = pinsight_environ_need(environ);
    void *room = need ? malloc(need) : NULL;
    if (room) {
        /* Other threads may still read the old list, which stays. */
        environ = pinsight_environ_merge(environ, room);
    }
}

/* The environment from before the program began; see variables.h. */
#include "tracer/core/variables.h"

#include "tracer/record/recorder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char **clean; /* ends with NULL, like `own` */
static char **own;

static bool begins(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

/* Returns whether a variable belongs to PInsight, or was set by `pinsight run` for the recorder. A
 * script must not get these. */
static bool is_own(const char *variable) {
    for (const struct pinsight_recorder_variable *at = pinsight_recorder_variables.set; at->name;
         at++) {
        if (at->is_runs && begins(variable, at->name))
            return true;
    }
    return begins(variable, "PINSIGHT_") || begins(variable, "PINSIGHT=") ||
           begins(variable, "LD_PRELOAD=");
}

/* Runs when the library is loaded: before the program's first line, or during `import pinsight`. */
__attribute__((constructor)) static void copy(void) {
    size_t count = 0, bytes = 0;

    if (!environ)
        return;
    for (; environ[count]; count++)
        bytes += strlen(environ[count]) + 1;
    /* one block for both lists and the text, which is never freed */
    char **lists = malloc((2 * count + 2) * sizeof *lists + bytes);
    if (!lists)
        return;
    char *text = (char *)(lists + 2 * count + 2);
    char **next_clean = lists, **next_own = lists + count + 1;
    for (size_t i = 0; i < count; i++) {
        size_t size = strlen(environ[i]) + 1;
        memcpy(text, environ[i], size);
        *(is_own(text) ? next_own++ : next_clean++) = text;
        text += size;
    }
    *next_clean = *next_own = NULL;
    clean = lists;
    own = lists + count + 1;
}

char *const *pinsight_variables_clean(void) {
    return clean;
}

const char *pinsight_variables_own(const char *name) {
    size_t length = strlen(name);

    for (char **at = own; at && *at; at++) {
        if (strncmp(*at, name, length) == 0 && (*at)[length] == '=')
            return *at + length + 1;
    }
    return "";
}

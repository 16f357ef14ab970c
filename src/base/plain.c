/* Marks of the plain form's losses; see plain.h. */
#define _GNU_SOURCE
#include "base/plain.h"

#include "base/message.h"
#include "base/reported.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const topics[PINSIGHT_PLAIN_LOSSES] = {"plain-paths",      "plain-forks",
                                                          "plain-profiler",   "plain-operators",
                                                          "plain-properties", "plain-tasks"};

#define WHY "plain-why"

const char *const pinsight_plain_missing[PINSIGHT_PLAIN_LOSSES] = {
    "the Python that caused native events",
    "the work of forked children before they execute a program",
    "the work of a thread after the program has set a profiler of its own in it",
    "operators of types written in C",
    "properties of types written in C",
    "tasks of asyncio",
};

bool pinsight_plain_is_asked(const char *value) {
    return value && strcmp(value, "1") == 0;
}

/* These symbols exist only in debug builds: the first up to CPython 3.11, the second later. */
bool pinsight_plain_is_debug_build(void) {
    return dlsym(RTLD_DEFAULT, "_Py_RefTotal") || dlsym(RTLD_DEFAULT, "_Py_INCREF_IncRefTotal");
}

bool pinsight_plain_is_needed(const char *version) {
    const char *behind = version + strspn(version, "0123456789.");
    return *behind == 'a' || *behind == 'b' || pinsight_plain_is_debug_build();
}

bool pinsight_plain_is_known(const char *value) {
    return !value || !*value || strcmp(value, "0") == 0 || strcmp(value, "1") == 0;
}

bool pinsight_plain_write(const char *output, enum pinsight_plain_loss loss) {
    bool reported;
    int mark = pinsight_reported_mark(output, topics[loss], &reported);
    if (mark >= 0) {
        const char *text = pinsight_plain_missing[loss];
        pinsight_message_write(mark, text, strlen(text));
        close(mark);
    }
    return mark >= 0 || reported;
}

bool pinsight_plain_write_why(const char *output, const char *why, bool *first) {
    bool reported;
    int mark = pinsight_reported_mark(output, WHY, &reported);
    *first = mark >= 0;
    if (mark >= 0) {
        pinsight_message_write(mark, why, strlen(why));
        close(mark);
    }
    return mark >= 0 || reported;
}

void pinsight_plain_read_why(const char *output, char *why, size_t room) {
    size_t length = pinsight_reported_read(output, WHY, why, room) ? strlen(why) : 0;
    if (length > 0 && why[length - 1] == '.') {
        why[length - 1] = '\0';
    }
}

void pinsight_plain_read(const char *output, char *text, size_t room) {
    char sentence[256];
    size_t used = 0;

    *text = '\0';
    for (int loss = 0; loss < PINSIGHT_PLAIN_LOSSES; loss++) {
        if (pinsight_reported_read(output, topics[loss], sentence, sizeof(sentence)) &&
            used < room) {
            used += (size_t)snprintf(text + used, room - used, "%s%s", used > 0 ? "; " : "",
                                     pinsight_plain_missing[loss]);
        }
    }
}

/* The list of recorders; see recorder.h. */
#include "session/recorder.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

static const struct pinsight_session_recorder *const recorders[] = {
    &pinsight_session_recorder_file,
    &pinsight_session_recorder_lttng,
};
enum { RECORDERS = sizeof(recorders) / sizeof(*recorders) };

const char *const pinsight_session_recorder_names[RECORDERS + 1] = {"file", "lttng"};

const struct pinsight_session_recorder *pinsight_session_recorder_find(const char *name) {
    if (name == NULL || *name == '\0') {
        name = PINSIGHT_RECORDER_DEFAULT;
    }
    for (size_t i = 0; i < RECORDERS; i++) {
        if (strcmp(recorders[i]->name, name) == 0) {
            return recorders[i];
        }
    }
    return NULL;
}

void pinsight_session_make_name(char name[PINSIGHT_SESSION_NAME_MAX], const char *program,
                                int pid) {
    uint32_t number = 0;
    char short_name[41];
    size_t n = 0;

    for (; program[n] != '\0' && n < sizeof(short_name) - 1; n++) {
        unsigned char c = (unsigned char)program[n];
        short_name[n] = isalnum(c) || c == '.' || c == '_' || c == '-' ? (char)c : '_';
    }
    short_name[n] = '\0';
    if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != sizeof(number)) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        number = (uint32_t)now.tv_nsec;
    }
    snprintf(name, PINSIGHT_SESSION_NAME_MAX, "pinsight-%s-%d-%08x", short_name, pid, number);
}

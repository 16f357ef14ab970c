/* Closes the trace so far as a chunk, with LTTng (lttng-rotate(1)). */
#include "introspect/rotate.h"

#include <string.h>

#include "base/clock.h"
#include "base/program.h"
#include "format/introspect_protocol.h"
#include "session/lttng/library.h"

/* Opens the library, which is beside this program. */
static const struct pinsight_lttng_library *open_library(char why[PATH_MAX]) {
    char folder[PATH_MAX];

    if (!pinsight_program_self(folder, sizeof(folder))) {
        strcpy(why, "the folder of PInsight's libraries is not known");
        return NULL;
    }
    *strrchr(folder, '/') = '\0';
    return pinsight_lttng_open(folder, why, PATH_MAX);
}

/* Begins a rotation. Waits for another one, by another process of the run or by the user. */
static enum pinsight_lttng_rotated begin(const struct pinsight_lttng_library *library,
                                         const char *session,
                                         struct pinsight_lttng_rotation *rotation,
                                         char text[PATH_MAX]) {
    int64_t until = pinsight_now_ms() + PINSIGHT_INTROSPECT_ROTATION_MS;

    for (;;) {
        enum pinsight_lttng_rotated state = library->rotate(session, rotation, text);
        if (state != PINSIGHT_LTTNG_BUSY || pinsight_now_ms() >= until) {
            return state;
        }
        pinsight_sleep_ms(10);
    }
}

static void rotate(int fd, const struct pinsight_rotated *what) {
    struct pinsight_lttng_rotation rotation;
    char text[PATH_MAX];

    const struct pinsight_lttng_library *library = open_library(text);
    enum pinsight_lttng_rotated state =
        library != NULL ? begin(library, what->session, &rotation, text) : PINSIGHT_LTTNG_UNROTATED;
    if (state == PINSIGHT_LTTNG_ROTATES) {
        pinsight_rotation_send(fd, PINSIGHT_ROTATION_BEGUN, "");
    }
    for (int rest_ms = 1; state == PINSIGHT_LTTNG_ROTATES; rest_ms += rest_ms < 10) {
        state = library->ask(&rotation, text);
        if (state == PINSIGHT_LTTNG_ROTATES) {
            pinsight_sleep_ms(rest_ms);
        }
    }
    pinsight_rotation_send(
        fd, state == PINSIGHT_LTTNG_ROTATED ? PINSIGHT_ROTATION_DONE : PINSIGHT_ROTATION_FAILED,
        text);
}

const struct pinsight_rotator pinsight_rotator_lttng = {rotate, "LTTng's daemons"};

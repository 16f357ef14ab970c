/* Closes the trace so far as a chunk, with liblttng-ctl (lttng-rotate(1)). */
#include "session/lttng/library.h"

#include <stdio.h>

#include <lttng/lttng.h>
#include <lttng/rotation.h>

static enum pinsight_lttng_rotated fail(char text[PATH_MAX], const char *what, const char *why) {
    snprintf(text, PATH_MAX, "%s: %s", what, why);
    return PINSIGHT_LTTNG_UNROTATED;
}

enum pinsight_lttng_rotated pinsight_lttng_rotate(const char *session,
                                                  struct pinsight_lttng_rotation *rotation,
                                                  char text[PATH_MAX]) {
    struct lttng_rotation_handle *handle = NULL;

    int error = lttng_rotate_session(session, NULL, &handle);
    rotation->handle = handle;
    if (error < 0) {
        fail(text, "the session cannot be rotated", lttng_strerror(error));
        return error == -LTTNG_ERR_ROTATION_PENDING ? PINSIGHT_LTTNG_BUSY
                                                    : PINSIGHT_LTTNG_UNROTATED;
    }
    return PINSIGHT_LTTNG_ROTATES;
}

enum pinsight_lttng_rotated pinsight_lttng_ask(struct pinsight_lttng_rotation *rotation,
                                               char text[PATH_MAX]) {
    struct lttng_rotation_handle *handle = rotation->handle;
    const struct lttng_trace_archive_location *location = NULL;
    enum lttng_rotation_state state = LTTNG_ROTATION_STATE_ONGOING;
    const char *folder = NULL;

    if (lttng_rotation_handle_get_state(handle, &state) != LTTNG_ROTATION_STATUS_OK) {
        return fail(text, "the session's rotation is lost", "the session daemon does not know it");
    }
    if (state == LTTNG_ROTATION_STATE_ONGOING) {
        return PINSIGHT_LTTNG_ROTATES;
    }
    if (state != LTTNG_ROTATION_STATE_COMPLETED ||
        lttng_rotation_handle_get_archive_location(handle, &location) != LTTNG_ROTATION_STATUS_OK ||
        lttng_trace_archive_location_local_get_absolute_path(location, &folder) !=
            LTTNG_TRACE_ARCHIVE_LOCATION_STATUS_OK) {
        return fail(text, "the session's rotation failed", "the consumer daemon could not do it");
    }
    snprintf(text, PATH_MAX, "%s", folder);
    return PINSIGHT_LTTNG_ROTATED;
}

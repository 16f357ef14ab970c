/* Recording that begins while the program runs; see attach.h. */
#include "tracer/python/attach.h"

#include "base/attached.h"
#include "format/choice.h"
#include "tracer/core/process.h"
#include "tracer/core/settings.h"
#include "tracer/core/variables.h"
#include "tracer/python/adopt.h"
#include "tracer/python/balance.h"
#include "tracer/python/domain.h"
#include "tracer/python/versions.h"

#include <stdio.h>
#include <string.h>

/* Writes the text of the pending exception. */
static void take_error(char *error, size_t room) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *text = value ? PyObject_Str(value) : NULL;
    const char *reason = text ? PyUnicode_AsUTF8(text) : NULL;
    snprintf(error, room, "%s", reason ? reason : "the domain of Python could not start");
    Py_XDECREF(text);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    PyErr_Clear();
}

/* Reads the configuration. Its mode becomes the domain's, whatever mode an earlier recording left.
 */
static bool configure(const char *config, char *error, size_t room) {
    const char *file = *config ? config : pinsight_variables_own("PINSIGHT_CONFIG");
    char ignored[1024];
    pinsight_settings_start(ignored, sizeof ignored);
    return pinsight_settings_use(file, error, room) == 0;
}

bool pinsight_python_attach(const char *output, const char *ring, const char *config, size_t own,
                            char *error, size_t room) {
    if (pinsight_python.active) {
        snprintf(error, room, "%s", PINSIGHT_RECORDED_ALREADY);
        return false;
    }
    if (!configure(config, error, room))
        return false;
    const char *why = pinsight_process_begin(output, ring);
    if (why) {
        snprintf(error, room, "%s", why);
        return false;
    }
    pinsight_adopt_begin();
    if (pinsight_python_activate(NULL, NULL) != 0) {
        take_error(error, room);
        pinsight_adopt_end();
        pinsight_process_end();
        return false;
    }
    struct pinsight_python_thread *thread = pinsight_python_thread();
    if (thread) {
        pinsight_adopt_now(thread, own);
        thread->inherited =
            (uint32_t)own + 1; /* the ends of these, and of the call that is running now */
    }
    return true;
}

void pinsight_python_detach(void) {
    if (!*pinsight_process_output())
        return;
    pinsight_python_deactivate();
    pinsight_adopt_end();
    Py_BEGIN_ALLOW_THREADS pinsight_process_end();
    Py_END_ALLOW_THREADS
}

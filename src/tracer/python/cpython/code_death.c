/* Notification of freed code objects; see code_death.h. */
#include "tracer/python/cpython/code_death.h"

#include "tracer/python/path_code.h"

static destructor own_dealloc;

void pinsight_code_death_dealloc(PyObject *code) {
    pinsight_path_code_gone((PyCodeObject *)code);
    own_dealloc(code);
}

/* Interpreters with their own GIL may be freeing code objects meanwhile. */
static void patch(void) {
    if (own_dealloc)
        return;
    own_dealloc = PyCode_Type.tp_dealloc;
    __atomic_store_n(&PyCode_Type.tp_dealloc, pinsight_code_death_dealloc, __ATOMIC_RELEASE);
}

#if PINSIGHT_HAS_CODE_WATCHERS

bool pinsight_code_death_patched;

/* Called before any part of the code object is freed. */
static int watch(PyCodeEvent event, PyCodeObject *code) {
    if (event == PY_CODE_EVENT_DESTROY)
        pinsight_path_code_gone(code);
    return 0;
}

void pinsight_code_death_of_others(void) {
    patch();
    pinsight_code_death_patched = true;
}

void pinsight_code_death_start(void) {
    static bool watches;
    if (watches || pinsight_code_death_patched)
        return;
    watches = pinsight_in_main_interpreter() && PyCode_AddWatcher(watch) >= 0;
    if (watches)
        return;
    PyErr_Clear(); /* there are at most eight */
    pinsight_code_death_of_others();
}

#else

void pinsight_code_death_start(void) {
    patch();
}

#endif

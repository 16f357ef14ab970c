/* Redirects the interpreter's waits in the shim to this domain, and back; see waits.h. */
#include "tracer/python/waits.h"

#include "tracer/core/mode.h"
#include "tracer/python/domain.h"
#include "tracer/python/gil.h"
#include "tracer/python/locks.h"
#include "tracer/python/versions.h"
#include "tracer/record/python.h"

#include <link.h>

struct code_text {
    uintptr_t begin, size;
};

/* Finds the code segment that contains Py_Initialize. */
static int find_text(struct dl_phdr_info *object, size_t size, void *data) {
    struct code_text *text = data;
    uintptr_t at = (uintptr_t)Py_Initialize;
    (void)size;
    for (unsigned i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        uintptr_t begin = object->dlpi_addr + segment->p_vaddr;
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X) || at < begin ||
            at - begin >= segment->p_memsz)
            continue;
        *text = (struct code_text){begin, segment->p_memsz};
        return 1;
    }
    return 0;
}

static struct code_text text;
static bool watches_new_threads;

/* Sets the targets in the shim's table. */
static bool set_targets(void) {
    if (!text.size) {
        if (!dl_iterate_phdr(find_text, &text))
            return false;
        pinsight_preload_waits.here = (struct pinsight_waits_functions){
            .pthread_cond_wait = pinsight_gil_cond_wait,
            .pthread_cond_timedwait = pinsight_gil_cond_timedwait,
            .pthread_cond_signal = pinsight_gil_cond_signal,
            .sem_wait = pinsight_lock_wait,
            .sem_timedwait = pinsight_lock_timedwait,
            .sem_clockwait = pinsight_lock_clockwait,
            .sem_post = pinsight_lock_post,
            .sem_init = pinsight_lock_init,
            .sem_destroy = pinsight_lock_destroy,
        };
        pinsight_preload_waits.text = text.begin;
    }
    return true;
}

void pinsight_waits_watch_new_threads(bool wanted) {
    if (!&pinsight_preload_waits || wanted == watches_new_threads || (wanted && !set_targets()))
        return;
    watches_new_threads = wanted;
    atomic_store(&pinsight_preload_waits.signals,
                 wanted ? text.size : atomic_load(&pinsight_preload_waits.waits));
}

void pinsight_waits_apply(bool wanted) {
    if (!&pinsight_preload_waits || (wanted && !set_targets()))
        return;
    wanted = wanted && (pinsight_python.gil || pinsight_python.locks);
    pinsight_gil_note(wanted && pinsight_python.gil);
    pinsight_locks_note(wanted && pinsight_python.locks);
    atomic_store(&pinsight_preload_waits.waits, wanted ? text.size : 0);
    atomic_store(&pinsight_preload_waits.makes, wanted && pinsight_python.locks ? text.size : 0);
    if (!wanted) {
        atomic_store(&pinsight_preload_waits.signals, watches_new_threads ? text.size : 0);
        atomic_store(&pinsight_preload_waits.posts, 0);
    }
}

void pinsight_waits_describe(void) {
    static uint32_t recorded; /* session version */
    bool there = &pinsight_preload_waits != NULL;
    if ((!pinsight_python.gil && !pinsight_python.locks) ||
        recorded == pinsight_session_version() || !pinsight_record_python_waits_unseen_enabled())
        return;
    recorded = pinsight_session_version();
#ifdef Py_GIL_DISABLED
    bool no_gil = pinsight_python.gil;
#else
    bool no_gil = false;
#endif
    if (there && !no_gil)
        return;
    pinsight_record_python_waits_unseen(no_gil ? PINSIGHT_PYTHON_UNSEEN_WHY_NO_GIL
                                               : PINSIGHT_PYTHON_UNSEEN_WHY_NOT_PRELOADED);
}

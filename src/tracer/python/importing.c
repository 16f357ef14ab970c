/* Tracks whether a thread is within an import; see importing.h. */
#include "tracer/python/importing.h"

void pinsight_importing_set(struct pinsight_python_thread *thread, void *frame) {
    thread->import_frame = frame;
    pinsight_python_thread_changed(thread);
}

void pinsight_importing_look(struct pinsight_python_thread *thread) {
    void *frame = pinsight_python.imports_apart ? thread->parents_import : NULL;
    for (uint32_t depth = thread->depth; depth > 0 && pinsight_python.imports_apart; depth--) {
        const struct pinsight_entry *entry = &thread->entries[depth - 1];
        if (!(entry->tag & PINSIGHT_ENTRY_NOTED) || !(entry->notes & PINSIGHT_NOTE_IMPORTING))
            continue;
        frame = entry->notes & PINSIGHT_NOTE_IMPORT ? entry->frame : NULL;
        break;
    }
    pinsight_importing_set(thread, frame);
}

void pinsight_importing_leave_parents(struct pinsight_python_thread *thread) {
    thread->parents_import = NULL;
    pinsight_importing_look(thread);
}

void pinsight_importing_moved(struct pinsight_python_thread *thread) {
    if (pinsight_python.imports_apart && pinsight_python.imported)
        pinsight_importing_look(thread);
}

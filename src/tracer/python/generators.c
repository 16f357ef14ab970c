/* Numbers of generators; see generators.h. */
#include "tracer/python/generators.h"

#include "tracer/python/balance.h"

#define GENERATOR_BYTES (PINSIGHT_EVENT_HEAD_BYTES + 4 + 4)

/* Bytes of the end of an entry with notes, which does not add them itself. With numbers, the begin
 * has added them. */
static uint32_t end_bytes(const struct pinsight_entry *entry) {
    return entry->tag & PINSIGHT_ENTRY_REGISTRY ? 0 : pinsight_entry_lexgion(entry)->begin_bytes;
}

/* The last number, and the oldest number that may still belong to a paused frame. */
static _Atomic uint32_t last, oldest = 1;

void pinsight_generators_forget(void) {
    oldest = last + 1;
}

static bool has_it_still(const struct pinsight_entry *entry, int how, uint32_t known) {
    if (known < oldest || how == PINSIGHT_PYTHON_BEGIN_HOW_START)
        return false;
    return how != PINSIGHT_PYTHON_BEGIN_HOW_THROW ||
           pinsight_generator_has_started(pinsight_entry_lexgion(entry)->code, entry->frame);
}

void pinsight_generator_begun(struct pinsight_python_thread *thread, struct pinsight_entry *entry,
                              int how, uint32_t known) {
    entry->generator = 0;
    if (!pinsight_python.generators)
        return;
    entry->generator = has_it_still(entry, how, known) ? known : ++last;
    pinsight_python_progress(thread);
    pinsight_record_python_generator(pinsight_entry_lexgion(entry)->state.id, entry->generator);
    pinsight_python_progress(thread);
    pinsight_add_bytes(thread, GENERATOR_BYTES + end_bytes(entry));
}

void pinsight_generator_goes_on(struct pinsight_python_thread *thread,
                                struct pinsight_entry *entry) {
    struct pinsight_python_lexgion *lexgion = pinsight_entry_lexgion(entry);
    uint32_t known;
    if (!pinsight_python.generators || !lexgion->is_generator ||
        !(entry->tag & (PINSIGHT_ENTRY_INLINE | PINSIGHT_ENTRY_REGISTRY)))
        return;
    pinsight_frames_take(lexgion->paused, entry->frame, &known);
    entry->notes = (entry->tag & PINSIGHT_ENTRY_NOTED ? entry->notes : 0) | PINSIGHT_NOTE_KEEP;
    entry->tag |= PINSIGHT_ENTRY_NOTED;
    pinsight_generator_begun(thread, entry, PINSIGHT_PYTHON_BEGIN_HOW_RESUME, known);
}

/* Describes single events in the terms of the model. */
#include "reader/subject.h"

#include "reader/lookup.h"

const char *pinsight_subject_label(enum pinsight_event_id id, unsigned field, uint64_t value) {
    const struct pinsight_field_desc *desc = &pinsight_event_descs[id].fields[field];

    for (size_t i = 0; i < desc->label_count; i++)
        if (desc->labels[i].value == value)
            return desc->labels[i].label;
    return NULL;
}

struct pinsight_subject pinsight_subject_of(struct pinsight_model *model,
                                            const struct pinsight_event *event) {
    const struct reader_domain *domain = event->binding->domain;
    struct pinsight_subject subject = {.function = PINSIGHT_NONE,
                                       .callee = PINSIGHT_NONE,
                                       .tid = pinsight_event_vtid(event),
                                       .name = pinsight_event_descs[event->binding->id].name};

    if (!domain)
        return subject;
    if (domain->thread_of)
        subject.thread = domain->thread_of(model, event);
    if (domain->subject)
        domain->subject(&subject, model, event);
    if (!subject.process)
        subject.process = pinsight_lookup_process(model, event);
    return subject;
}

bool pinsight_subject_is_of(const struct pinsight_subject *subject, int64_t process,
                            int64_t thread) {
    if (process >= 0 && !(subject->process && subject->process->pid == process))
        return false;
    return thread < 0 || (subject->thread && subject->thread->number == thread) ||
           (subject->thread && subject->tid == thread);
}

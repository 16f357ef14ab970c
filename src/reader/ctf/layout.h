/* Events of calls: FUNCTION_begin and FUNCTION_end for each function, and some others. There are
 * many events of few shapes, and a domain knows them by the names of the events and of their
 * fields. The meaning of an event and the positions of its fields are found once, at the first
 * event. Not thread-safe. */
#ifndef PINSIGHT_READER_CTF_LAYOUT_H
#define PINSIGHT_READER_CTF_LAYOUT_H

#include "reader/ctf/event.h"

#define EVENT_LAYOUT_FIELDS 40

/* The meaning of an event. A domain's own meanings follow. */
enum event_moment { EVENT_UNSEEN, EVENT_OTHER, EVENT_BEGIN, EVENT_END, EVENT_OWN };

struct event_layout {
    uint8_t moment;                     /* enum event_moment, or the domain's own */
    char function[60];                  /* the function of a begin or an end */
    int8_t fields[EVENT_LAYOUT_FIELDS]; /* field number by the domain's numbers; -1: none */
};

/* All events of a domain; `at` is zero at the start. */
struct event_layouts {
    const char *const *fields; /* names of the fields, by the domain's numbers */
    size_t field_count;
    const char *const *moments; /* names of events with a meaning of their own, from EVENT_OWN on */
    size_t moment_count;
    struct event_layout at[PINSIGHT_EVENT_COUNT];
};

const struct event_layout *event_layout_of(struct event_layouts *layouts,
                                           const struct pinsight_event *event);

static inline bool event_layout_has(const struct event_layout *layout,
                                    const struct pinsight_event *event, unsigned field) {
    return layout->fields[field] >= 0 && event->binding->fields[layout->fields[field]].there;
}

/* Returns the value of a field, or `otherwise` if it is missing. */
static inline int64_t event_layout_get(const struct event_layout *layout,
                                       const struct pinsight_event *event, unsigned field,
                                       int64_t otherwise) {
    return event_layout_has(layout, event, field)
               ? pinsight_event_integer(event, (unsigned)layout->fields[field])
               : otherwise;
}

/* Return the value of a field with a time of the trace's clock, and of a text field; 0 and "" if it
 * is missing. */
static inline uint64_t event_layout_time(const struct event_layout *layout,
                                         const struct pinsight_event *event, unsigned field) {
    return event_layout_has(layout, event, field)
               ? pinsight_event_time(event, (unsigned)layout->fields[field])
               : 0;
}

static inline const char *event_layout_text(const struct event_layout *layout,
                                            const struct pinsight_event *event, unsigned field) {
    return event_layout_has(layout, event, field)
               ? pinsight_event_text(event, (unsigned)layout->fields[field])
               : "";
}

#endif

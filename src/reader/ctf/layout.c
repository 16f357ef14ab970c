/* Events of calls, by their names; see layout.h. */
#include "reader/ctf/layout.h"

#include <stdio.h>
#include <string.h>

static bool take_suffix(struct event_layout *layout, const char *name, const char *suffix) {
    size_t length = strlen(name), more = strlen(suffix);

    if (length <= more || strcmp(name + length - more, suffix) != 0)
        return false;
    snprintf(layout->function, sizeof(layout->function), "%.*s", (int)(length - more), name);
    return true;
}

static void describe(const struct event_layouts *layouts, struct event_layout *layout,
                     const struct pinsight_event_desc *desc) {
    layout->moment = take_suffix(layout, desc->name, "_begin") ? EVENT_BEGIN
                     : take_suffix(layout, desc->name, "_end") ? EVENT_END
                                                               : EVENT_OTHER;
    for (size_t i = 0; i < layouts->moment_count; i++)
        if (!strcmp(desc->name, layouts->moments[i]))
            layout->moment = (uint8_t)(EVENT_OWN + i);
    for (size_t f = 0; f < layouts->field_count; f++) {
        layout->fields[f] = -1;
        for (size_t i = 0; i < desc->field_count && i < INT8_MAX; i++)
            if (!strcmp(desc->fields[i].name, layouts->fields[f]))
                layout->fields[f] = (int8_t)i;
    }
}

const struct event_layout *event_layout_of(struct event_layouts *layouts,
                                           const struct pinsight_event *event) {
    struct event_layout *layout = &layouts->at[event->binding->id];

    if (layout->moment == EVENT_UNSEEN)
        describe(layouts, layout, &pinsight_event_descs[event->binding->id]);
    return layout;
}

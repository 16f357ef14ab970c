/* Events that define or need names; see docs/events.md, names = registry. */
#ifndef PINSIGHT_PLUGIN_REGISTRY_H
#define PINSIGHT_PLUGIN_REGISTRY_H

#include "plugin/names.h"

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>

/* Takes the definition in an event, if there is one. */
void pinsight_registry_learn(struct pinsight_names *names, const bt_event *event);

/* Adds the fields that an event of this class lacks to its payload's class. */
typedef bool pinsight_registry_more(bt_trace_class *trace_class, bt_field_class *payload);

/* Returns the function that adds the fields, or NULL if none are missing. */
pinsight_registry_more *pinsight_registry_lacks(const bt_event_class *event_class);

/* Fills in the names. The other fields of `to` are set already. Returns false on lack of memory. */
bool pinsight_registry_name(const struct pinsight_names *names, bt_event *to);

#endif

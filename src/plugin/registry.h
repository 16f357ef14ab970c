/* The events that say or need names; see docs/events.md, names = registry. */
#ifndef PINSIGHT_PLUGIN_REGISTRY_H
#define PINSIGHT_PLUGIN_REGISTRY_H

#include "plugin/names.h"

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>

/* Takes what an event defines, if it does. */
void pinsight_registry_learn(struct pinsight_names *names, const bt_event *event);

/* Adds the fields that an event of this class lacks to its payload's class. */
typedef bool pinsight_registry_more(bt_trace_class *trace_class, bt_field_class *payload);

/* What adds them; NULL where nothing is to be added. */
pinsight_registry_more *pinsight_registry_lacks(const bt_event_class *event_class);

/* Fills them in; the other fields of `to` are there already. False for want of memory. */
bool pinsight_registry_name(const struct pinsight_names *names, bt_event *to);

#endif

/* Copies of a trace's classes and fields, by libbabeltrace2. A filter must copy all objects that
 * belong to a changed class. For traces of LTTng-UST: integers, enumerations, texts and structures.
 * On lack of memory or for an unsupported object, functions return NULL or false. */
#ifndef PINSIGHT_PLUGIN_COPY_H
#define PINSIGHT_PLUGIN_COPY_H

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>

/* Returns a trace of a class of its own, without streams. The caller releases the reference. */
bt_trace *pinsight_copy_trace(bt_self_component *self, const bt_trace *trace);

/* Returns the copy of a stream's class in a trace's class, made at the first call; borrowed. */
bt_stream_class *pinsight_copy_stream_class(bt_self_component *self, bt_trace *into,
                                            const bt_stream_class *stream_class);

/* Returns a stream in a trace that was copied. The caller releases the reference. */
bt_stream *pinsight_copy_stream(bt_self_component *self, bt_trace *into, const bt_stream *stream);

/* Returns the copy of an event's class, made at the first call; borrowed. `more`, if not NULL, then
 * adds members to the payload's class. */
bt_event_class *pinsight_copy_event_class(bt_stream_class *into, const bt_event_class *event_class,
                                          bool (*more)(bt_trace_class *trace_class,
                                                       bt_field_class *payload));

/* Copies the value of a field. Members of a structure are copied by their index. */
bool pinsight_copy_field(const bt_field *from, bt_field *to);

#endif

/* Copies of a trace's classes and fields, in libbabeltrace2's terms: what a filter gives on has to
 * be its own where a class of it is another. For traces as LTTng-UST writes them: integers,
 * enumerations, texts and structures. All functions that give a pointer give NULL, and those that
 * give a bool false, for want of memory or for something else in the trace. */
#ifndef PINSIGHT_PLUGIN_COPY_H
#define PINSIGHT_PLUGIN_COPY_H

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>

/* A trace of its own class, without streams. The caller puts the reference. */
bt_trace *pinsight_copy_trace(bt_self_component *self, const bt_trace *trace);

/* The copy of a stream's class in a trace's class, made at its first mention; borrowed. */
bt_stream_class *pinsight_copy_stream_class(bt_self_component *self, bt_trace *into,
                                            const bt_stream_class *stream_class);

/* A stream in a trace that was copied. The caller puts the reference. */
bt_stream *pinsight_copy_stream(bt_self_component *self, bt_trace *into, const bt_stream *stream);

/* The copy of an event's class, made at its first mention; borrowed. `more`, if not NULL, adds to
 * the payload's class when that is made. */
bt_event_class *pinsight_copy_event_class(bt_stream_class *into, const bt_event_class *event_class,
                                          bool (*more)(bt_trace_class *trace_class,
                                                       bt_field_class *payload));

/* The value of a field: members of a structure by their place. */
bool pinsight_copy_field(const bt_field *from, bt_field *to);

#endif

/*
 * An event as LTTng-UST records it: what the generated record/<domain>.h makes its functions of.
 * Both macros are LTTng-UST's own inline code, so that an event costs no call more; who uses
 * them has included the domain's tracepoints.
 */
#ifndef PINSIGHT_RECORD_LTTNG_EVENT_H
#define PINSIGHT_RECORD_LTTNG_EVENT_H

/* Does a session listen to the event? A load and a branch. Any thread. */
#define PINSIGHT_EVENT_LISTENED(provider, event) lttng_ust_tracepoint_enabled(provider, event)

/* Records the event where a session listens to it. Any thread, also in a signal handler. */
#define PINSIGHT_EVENT_RECORD(provider, event, ...)                                                \
    lttng_ust_do_tracepoint(provider, event, __VA_ARGS__)

/* What an event takes in a trace beside its fields, in bytes: LTTng's header, vpid and vtid. */
#define PINSIGHT_EVENT_HEAD_BYTES (6 + 8)

#endif

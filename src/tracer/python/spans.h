/*
 * Spans of OpenTelemetry's SDK are regions of the program: ranges, because spans of a thread may
 * overlap, and may end in another thread. They are seen by the calls of Span.start and Span.end, so
 * that the program's tracer providers have no further processor. All functions hold the GIL.
 */
#ifndef PINSIGHT_PYTHON_SPANS_H
#define PINSIGHT_PYTHON_SPANS_H

enum pinsight_span_code { PINSIGHT_SPAN_NONE, PINSIGHT_SPAN_START, PINSIGHT_SPAN_END };

/* Returns whether a code object (PyCodeObject) starts or ends a span. `file` is its file. */
enum pinsight_span_code pinsight_span_code(const void *object, const char *file);

/* Called when such code has been called. Records the begin or the end of the span that is its first
 * argument. Runs no code of the program. Keeps a pending exception. */
void pinsight_span_called(enum pinsight_span_code what);

#endif

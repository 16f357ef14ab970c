/*
 * Profilers and debuggers of the program beside PInsight's (CPython 3.12 and later). They get the
 * same reports as without PInsight.
 */
#ifndef PINSIGHT_PYTHON_PROFILER_ADJACENT_H
#define PINSIGHT_PYTHON_PROFILER_ADJACENT_H

/* Redirects sys.setprofile and sys.settrace. Later calls do nothing. Holds the GIL. */
void pinsight_profiler_adjacent_start(void);

/* Returns PInsight's tool id of sys.monitoring, or -1. */
long pinsight_monitoring_tool(void);

#endif

/*
 * Profilers and debuggers of the program's beside ours, CPython 3.12 and later: what they are told
 * is what they would be told without us.
 */
#ifndef PINSIGHT_PYTHON_PROFILER_ADJACENT_H
#define PINSIGHT_PYTHON_PROFILER_ADJACENT_H

/* From now on sys.setprofile and sys.settrace are seen. Once; later calls do nothing. GIL held. */
void pinsight_profiler_adjacent_start(void);

/* Our tool id of sys.monitoring, -1 where we have none. */
long pinsight_monitoring_tool(void);

#endif

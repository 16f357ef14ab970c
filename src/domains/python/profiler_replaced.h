/*
 * Profilers of the program's own, up to CPython 3.11: there is room for one in a thread, and what
 * the program sets (sys.setprofile, cProfile) takes our place. It is left alone; when it has gone,
 * we come back at once.
 */
#ifndef PINSIGHT_PYTHON_PROFILER_REPLACED_H
#define PINSIGHT_PYTHON_PROFILER_REPLACED_H

/* Lead the functions that set and take away profilers over here, those that are there by now; call
 * again when there may be more. Holds the GIL; leaves no exception set. */
void pinsight_profiler_replaced_start(void);

#endif

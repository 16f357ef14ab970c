/*
 * Profilers of the program that replace PInsight's, up to CPython 3.11. A thread has room for one
 * profiler. If the program sets one (sys.setprofile, cProfile), PInsight leaves it alone, and sets
 * its own again as soon as the program's is removed.
 */
#ifndef PINSIGHT_PYTHON_PROFILER_REPLACED_H
#define PINSIGHT_PYTHON_PROFILER_REPLACED_H

/* Redirects the functions that set and remove profilers, as far as their modules are loaded. Called
 * again when more modules may be loaded. Holds the GIL. Leaves no exception set. */
void pinsight_profiler_replaced_start(void);

#endif

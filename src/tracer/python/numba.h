/*
 * Numba reports its compiled functions to sys.monitoring only on request. PInsight requests it in
 * numba.core.config, before the program makes the first of them. The user's own setting
 * (NUMBA_ENABLE_SYS_MONITORING) is left alone.
 */
#ifndef PINSIGHT_PYTHON_NUMBA_H
#define PINSIGHT_PYTHON_NUMBA_H

/* Makes the request, also if Numba is loaded later. Cannot be undone. Repeated calls do nothing.
 * Keeps a pending exception. Holds the GIL. Does nothing before CPython 3.12. */
void pinsight_numba_watch(void);

#endif

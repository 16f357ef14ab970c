/* The tracepoints of the MPI domain. How they are recorded is in libpinsight-mpi-events.so, which
 * fills them in when it is loaded (lttng-ust(3), "Dynamic linking"). */
#define LTTNG_UST_TRACEPOINT_DEFINE
#define LTTNG_UST_TRACEPOINT_PROBE_DYNAMIC_LINKAGE
#include "record/lttng/mpi_tracepoints.h"

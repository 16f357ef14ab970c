/* Programs that forbid themselves system calls; see forbidden.h. */
#include "base/forbidden.h"

_Atomic bool pinsight_opens_are_forbidden;
_Atomic bool pinsight_threads_are_filtered;
_Atomic bool pinsight_signals_are_forbidden;
_Atomic bool pinsight_clocks_are_forbidden;

/* Whether the program has forbidden itself to open files; see forbidden.h. */
#include "base/forbidden.h"

_Atomic bool pinsight_opens_are_forbidden;

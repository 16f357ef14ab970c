/* Programs that forbid themselves to open files; see forbidden.h. */
#include "base/forbidden.h"

_Atomic bool pinsight_opens_are_forbidden;

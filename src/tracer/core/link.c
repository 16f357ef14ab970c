/* The link from native work to Python; see link.h. */
#include "tracer/core/link.h"

#include <stddef.h>

_Atomic(pinsight_link_provider) pinsight_link;
_Atomic(pinsight_open_recorder) pinsight_open;

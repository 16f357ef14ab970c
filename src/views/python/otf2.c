/* Python in OTF2. */
#include "views/export/otf2.h"

const struct otf2_domain otf2_domain_python = {
    .paradigm = OTF2_PARADIGM_USER,
    .kinds = {
        [PINSIGHT_SLICE_FUNCTION] = {.role = OTF2_REGION_ROLE_FUNCTION, .about = "Python function"},
        [PINSIGHT_SLICE_C_CALL] = {.role = OTF2_REGION_ROLE_FUNCTION,
                                   .about = "C function, called from Python"},
        [PINSIGHT_SLICE_IMPORT] = {.role = OTF2_REGION_ROLE_CODE,
                                   .before = "import ",
                                   .about = "import of a Python module"},
        [PINSIGHT_SLICE_GC] = {.role = OTF2_REGION_ROLE_CODE,
                               .about = "collection of Python's garbage"},
        [PINSIGHT_SLICE_GIL] = {.role = OTF2_REGION_ROLE_CRITICAL, .about = "wait for the GIL"},
        [PINSIGHT_SLICE_LOCK] = {.role = OTF2_REGION_ROLE_CRITICAL, .about = "wait for a lock"}}};

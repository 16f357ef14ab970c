/* Regions that the program marks itself, in OTF2. */
#include "views/export/otf2.h"

const struct otf2_domain otf2_domain_core = {
    .paradigm = OTF2_PARADIGM_USER,
    .kinds = {[PINSIGHT_SLICE_MARKED] = {.role = OTF2_REGION_ROLE_CODE,
                                         .about = "marked by the program"}}};

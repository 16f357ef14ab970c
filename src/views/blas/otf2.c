/* BLAS in OTF2. */
#include "views/export/otf2.h"
#include "views/report/calls.h"

const struct otf2_domain otf2_domain_blas = OTF2_CALLS_DOMAIN(BLAS, "BLAS");

/* OpenMP in OTF2. */
#include "views/export/otf2.h"

#include "reader/openmp/openmp.h"

static OTF2_RegionRole role_of_wait(const struct pinsight_model *model, uint32_t wait) {
    static const OTF2_RegionRole roles[PINSIGHT_OMP_WAIT_COUNT] = {
        [PINSIGHT_OMP_WAIT_IMPLICIT_BARRIER] = OTF2_REGION_ROLE_IMPLICIT_BARRIER,
        [PINSIGHT_OMP_WAIT_EXPLICIT_BARRIER] = OTF2_REGION_ROLE_BARRIER,
        [PINSIGHT_OMP_WAIT_TASKWAIT] = OTF2_REGION_ROLE_TASK_WAIT,
        [PINSIGHT_OMP_WAIT_TASKGROUP] = OTF2_REGION_ROLE_TASK_WAIT,
        [PINSIGHT_OMP_WAIT_LOCK] = OTF2_REGION_ROLE_CRITICAL,
        [PINSIGHT_OMP_WAIT_CRITICAL] = OTF2_REGION_ROLE_CRITICAL,
        [PINSIGHT_OMP_WAIT_ATOMIC] = OTF2_REGION_ROLE_ATOMIC,
        [PINSIGHT_OMP_WAIT_ORDERED] = OTF2_REGION_ROLE_ORDERED,
    };

    (void)model;
    return wait < PINSIGHT_OMP_WAIT_COUNT ? roles[wait] : OTF2_REGION_ROLE_UNKNOWN;
}

const struct otf2_domain otf2_domain_openmp = {
    .paradigm = OTF2_PARADIGM_OPENMP,
    .kinds = {[PINSIGHT_SLICE_REGION] = {.role = OTF2_REGION_ROLE_WRAPPER,
                                         .before = "fork and join of ",
                                         .about = "from the fork of a team of threads to their "
                                                  "join"},
              [PINSIGHT_SLICE_PART] = {.role = OTF2_REGION_ROLE_PARALLEL,
                                       .about = "a thread's part of a parallel region"},
              [PINSIGHT_SLICE_TASK] = {.role = OTF2_REGION_ROLE_TASK, .about = "explicit task"},
              [PINSIGHT_SLICE_WAIT] = {.about = "", .role_of = role_of_wait}}};

/* MPI in OTF2. */
#include "views/export/otf2.h"

#include "reader/mpi/mpi.h"

static OTF2_RegionRole role_of(const struct pinsight_model *model, uint32_t number) {
    const struct pinsight_mpi_function *function = &pinsight_model_mpi(model)->functions[number];

    switch (function->role) {
    case PINSIGHT_MPI_BARRIER:
        return OTF2_REGION_ROLE_BARRIER;
    case PINSIGHT_MPI_N_TO_N:
        return OTF2_REGION_ROLE_COLL_ALL2ALL;
    case PINSIGHT_MPI_TO_ROOT:
        return OTF2_REGION_ROLE_COLL_ALL2ONE;
    case PINSIGHT_MPI_FROM_ROOT:
        return OTF2_REGION_ROLE_COLL_ONE2ALL;
    case PINSIGHT_MPI_OTHER_COLLECTIVE:
        return OTF2_REGION_ROLE_COLL_OTHER;
    default:
        break;
    }
    switch (function->kind) {
    case PINSIGHT_MPI_KIND_P2P:
        return OTF2_REGION_ROLE_POINT2POINT;
    case PINSIGHT_MPI_KIND_ONE_SIDED:
        return OTF2_REGION_ROLE_RMA;
    case PINSIGHT_MPI_KIND_IO:
        return OTF2_REGION_ROLE_FILE_IO;
    default:
        return OTF2_REGION_ROLE_FUNCTION;
    }
}

const struct otf2_domain otf2_domain_mpi = {
    .paradigm = OTF2_PARADIGM_MPI,
    .kinds = {[PINSIGHT_SLICE_MPI] = {.about = "", .role_of = role_of}}};

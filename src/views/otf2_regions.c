/* Regions: Python functions and C callables by name, OpenMP's by place, MPI's and CUDA's by
 * function, what devices do by its name; with groups of them by module as Score-P's Python bindings
 * make them: by the first part of its name. */
#include "reader/cuda.h"
#include "reader/mem.h"
#include "reader/mpi.h"
#include "reader/native.h"
#include "reader/native_lines.h"
#include "reader/openmp.h"
#include "views/otf2.h"

#include <stdlib.h>
#include <string.h>

/* What slices of one region have in common. */
static uint32_t id_of(const struct pinsight_model *model, const struct pinsight_slice *slice) {
    switch (slice->kind) {
    case PINSIGHT_SLICE_C_CALL:
        return model->sites[slice->id].callee;
    case PINSIGHT_SLICE_REGION:
    case PINSIGHT_SLICE_PART: /* also those from other Python code */
        return slice->native;
    case PINSIGHT_SLICE_TASK:
        return 0;
    case PINSIGHT_SLICE_MPI:
        return model->mpi->sites[slice->id].function;
    case PINSIGHT_SLICE_CUDA:
        return model->cuda->sites[slice->id].function;
    default:
        return slice->id;
    }
}

uint32_t pinsight_otf2_region(struct pinsight_otf2 *otf2, const struct pinsight_slice *slice) {
    uint32_t id = id_of(otf2->export->model, slice);
    uint32_t number = pinsight_map_get(&otf2->region_map, slice->kind, id, 0);

    if (number != PINSIGHT_MAP_NONE)
        return number;
    number = (uint32_t)otf2->region_count;
    otf2->regions = pinsight_grow(otf2->regions, otf2->region_count++, &otf2->region_capacity,
                                  sizeof(*otf2->regions));
    otf2->regions[number] = (struct pinsight_otf2_region){.slice = *slice, .id = id};
    otf2->regions[number].slice.path = PINSIGHT_NONE; /* it is of this slice only */
    pinsight_map_set(&otf2->region_map, slice->kind, id, 0, number);
    return number;
}

static OTF2_RegionRole role_of_mpi(const struct pinsight_mpi_function *function) {
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
    case PINSIGHT_MPI_P2P:
        return OTF2_REGION_ROLE_POINT2POINT;
    case PINSIGHT_MPI_ONE_SIDED:
        return OTF2_REGION_ROLE_RMA;
    case PINSIGHT_MPI_IO:
        return OTF2_REGION_ROLE_FILE_IO;
    default:
        return OTF2_REGION_ROLE_FUNCTION;
    }
}

static OTF2_RegionRole role_of_cuda(const struct pinsight_model *model, uint32_t function) {
    const char *name =
        pinsight_strings_text(&model->strings, model->cuda->functions[function].name);

    if (!strcmp(name, "cudaMalloc"))
        return OTF2_REGION_ROLE_ALLOCATE;
    if (!strcmp(name, "cudaFree"))
        return OTF2_REGION_ROLE_DEALLOCATE;
    return model->cuda->functions[function].role == PINSIGHT_CUDA_COPIES
               ? OTF2_REGION_ROLE_DATA_TRANSFER
               : OTF2_REGION_ROLE_FUNCTION;
}

static OTF2_RegionRole role_of_wait(uint32_t wait) {
    static const OTF2_RegionRole roles[PINSIGHT_WAIT_COUNT] = {
        [PINSIGHT_WAIT_IMPLICIT_BARRIER] = OTF2_REGION_ROLE_IMPLICIT_BARRIER,
        [PINSIGHT_WAIT_EXPLICIT_BARRIER] = OTF2_REGION_ROLE_BARRIER,
        [PINSIGHT_WAIT_TASKWAIT] = OTF2_REGION_ROLE_TASK_WAIT,
        [PINSIGHT_WAIT_TASKGROUP] = OTF2_REGION_ROLE_TASK_WAIT,
        [PINSIGHT_WAIT_LOCK] = OTF2_REGION_ROLE_CRITICAL,
        [PINSIGHT_WAIT_CRITICAL] = OTF2_REGION_ROLE_CRITICAL,
        [PINSIGHT_WAIT_ATOMIC] = OTF2_REGION_ROLE_ATOMIC,
        [PINSIGHT_WAIT_ORDERED] = OTF2_REGION_ROLE_ORDERED,
    };

    return wait < PINSIGHT_WAIT_COUNT ? roles[wait] : OTF2_REGION_ROLE_UNKNOWN;
}

/* What a kind is to OTF2. */
struct kind {
    OTF2_RegionRole role;
    OTF2_Paradigm paradigm;
    const char *before; /* the name */
    const char *about;
};

static const struct kind kinds[PINSIGHT_SLICE_KINDS] = {
    [PINSIGHT_SLICE_FUNCTION] = {OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER, "",
                                 "Python function"},
    [PINSIGHT_SLICE_C_CALL] = {OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER, "",
                               "C function, called from Python"},
    [PINSIGHT_SLICE_IMPORT] = {OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_USER, "import ",
                               "import of a Python module"},
    [PINSIGHT_SLICE_MARKED] = {OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_USER, "",
                               "marked by the program"},
    [PINSIGHT_SLICE_REGION] = {OTF2_REGION_ROLE_WRAPPER, OTF2_PARADIGM_OPENMP, "fork and join of ",
                               "from the fork of a team of threads to their join"},
    [PINSIGHT_SLICE_PART] = {OTF2_REGION_ROLE_PARALLEL, OTF2_PARADIGM_OPENMP, "",
                             "a thread's part of a parallel region"},
    [PINSIGHT_SLICE_TASK] = {OTF2_REGION_ROLE_TASK, OTF2_PARADIGM_OPENMP, "", "explicit task"},
    [PINSIGHT_SLICE_WAIT] = {OTF2_REGION_ROLE_UNKNOWN, OTF2_PARADIGM_OPENMP, "", ""},
    [PINSIGHT_SLICE_MPI] = {OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_MPI, "", ""},
    [PINSIGHT_SLICE_CUDA] = {OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_CUDA, "",
                             "call of CUDA by the program"},
    [PINSIGHT_SLICE_WORK] = {OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_CUDA, "", "work of a device"},
};

/* Where native code is in its source. */
static void native_place(struct pinsight_export *export, uint32_t native, const char **file,
                         int32_t *line) {
    const struct pinsight_model *model = export->model;
    const struct pinsight_native *place;

    if (native == PINSIGHT_NONE || !export->texts.lines)
        return;
    place = &model->natives[native];
    if (place->known)
        pinsight_native_line(export->texts.lines,
                             pinsight_strings_text(&model->strings, place->object), place->offset,
                             pinsight_strings_text(&model->strings, place->symbol), file, line);
}

/* Puts a region into the group with a name. */
static void add_to_group(struct pinsight_strings *names, uint32_t *groups, size_t region,
                         const char *module) {
    if (*module)
        groups[region] = pinsight_strings_add(names, module, strcspn(module, "."));
}

/* "module:Class.function", as Score-P's Python bindings have it. Some C callables have their module
 * in their own name, too. To be freed. */
static char *name_of(const struct kind *kind, const struct pinsight_slice_text *text) {
    size_t length = strlen(text->module);
    const char *name = text->name;

    if (!length)
        return pinsight_format("%s%s", kind->before, name);
    if (!strncmp(name, text->module, length) && name[length] == '.' && name[length + 1])
        name += length + 1;
    return pinsight_format("%s:%s", text->module, name);
}

/* Writes a region; returns the module or group that it is of, "" for none. */
static const char *write_region(struct pinsight_otf2_definitions *definitions, uint32_t number) {
    struct pinsight_otf2 *otf2 = definitions->otf2;
    const struct pinsight_otf2_region *region = &otf2->regions[number];
    const struct pinsight_mpi *mpi = otf2->export->model->mpi;
    unsigned kind = region->slice.kind;
    OTF2_RegionRole role = kinds[kind].role;
    struct pinsight_slice_text text;
    OTF2_StringRef full, plain, about, file;
    char *name;

    pinsight_slice_text(&otf2->export->texts, &region->slice, &text);
    if (kind == PINSIGHT_SLICE_C_CALL) { /* the place is that of one caller */
        text.file = "";
        text.line = 0;
    } else if (kind == PINSIGHT_SLICE_REGION || kind == PINSIGHT_SLICE_PART) {
        native_place(otf2->export, region->id, &text.file, &text.line);
    } else if (kind == PINSIGHT_SLICE_MPI) {
        role = role_of_mpi(&mpi->functions[region->id]);
    } else if (kind == PINSIGHT_SLICE_WAIT) {
        role = role_of_wait(region->id);
    } else if (kind == PINSIGHT_SLICE_CUDA) {
        role = role_of_cuda(otf2->export->model, region->id);
    } else if (kind == PINSIGHT_SLICE_WORK &&
               otf2->export->model->cuda->works[region->id].type == PINSIGHT_CUDA_COPY) {
        role = OTF2_REGION_ROLE_DATA_TRANSFER;
    }
    name = name_of(&kinds[kind], &text);
    full = pinsight_otf2_string(definitions, name);
    plain = pinsight_otf2_string(definitions, text.name);
    about = pinsight_otf2_string(definitions, kinds[kind].about);
    file = pinsight_otf2_string(definitions, text.file);
    free(name);
    pinsight_otf2_check(
        otf2, OTF2_GlobalDefWriter_WriteRegion(definitions->writer, number, full, plain, about,
                                               role, kinds[kind].paradigm, OTF2_REGION_FLAG_NONE,
                                               file, text.line > 0 ? (uint32_t)text.line : 0, 0));
    return kind == PINSIGHT_SLICE_CUDA   ? "CUDA calls"
           : kind == PINSIGHT_SLICE_WORK ? "CUDA devices"
                                         : text.module;
}

void pinsight_otf2_write_regions(struct pinsight_otf2_definitions *definitions) {
    const struct pinsight_otf2 *otf2 = definitions->otf2;
    struct pinsight_strings names = {0};
    uint32_t *groups = pinsight_calloc(otf2->region_count + 1, sizeof(*groups));
    uint64_t *members = pinsight_calloc(otf2->region_count + 1, sizeof(*members));

    pinsight_strings_add(&names, "", 0);
    for (uint32_t i = 0; i < otf2->region_count; i++)
        add_to_group(&names, groups, i, write_region(definitions, i));
    for (uint32_t group = 1; group < names.count; group++) {
        uint32_t count = 0;

        for (uint32_t i = 0; i < otf2->region_count; i++)
            if (groups[i] == group)
                members[count++] = i;
        pinsight_otf2_group(definitions, pinsight_strings_text(&names, group),
                            OTF2_GROUP_TYPE_REGIONS, OTF2_PARADIGM_USER, members, count);
    }
    free(groups);
    free(members);
    pinsight_strings_clear(&names);
}

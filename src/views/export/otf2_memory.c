/* Writes the resident memory of processes as a metric of OTF2. The readings of a process have a
 * location of their own, because those of several threads must be in order of time. */
#include "views/domain.h"
#include "views/export/otf2.h"
#include "views/export/otf2_archive.h"

#include "base/memory.h"

/* The number of a process's memory among its threads. Threads have lower numbers. */
#define MEMORY_THREAD UINT32_C(0x40000000)

/* The numbers of the definitions: one metric for all processes, which differ by their locations. An
 * instance for each process would state the same, but not all readers of OTF2 take instances. */
enum { MEMBER = 0, CLASS = 0 };

static struct pinsight_otf2_location *location_of(struct pinsight_otf2 *otf2,
                                                  struct pinsight_process *process) {
    uint32_t number = pinsight_map_get(&otf2->memories, process->index, 0, 0);
    struct pinsight_otf2_location *location;

    if (number != PINSIGHT_MAP_NONE)
        return &otf2->locations[number];
    number = (uint32_t)otf2->location_count;
    location = PINSIGHT_ADD(otf2->locations, otf2->location_count, otf2->location_capacity);
    *location = (struct pinsight_otf2_location){
        .id = pinsight_otf2_location_id(otf2, view_process_rank(process), process->index,
                                        MEMORY_THREAD),
        .process = process,
        .name = pinsight_strdup("resident memory"),
        .memory = true,
        .team = PINSIGHT_NONE};
    pinsight_map_set(&otf2->memories, process->index, 0, 0, number);
    location->writer = pinsight_otf2_writer(otf2, location->id);
    if (!location->writer)
        pinsight_otf2_check(otf2, OTF2_ERROR_MEM_ALLOC_FAILED);
    return location;
}

void pinsight_otf2_memory(struct pinsight_otf2 *otf2, const struct pinsight_process *process,
                          uint64_t bytes, uint64_t ns) {
    const OTF2_Type type = OTF2_TYPE_UINT64;
    const OTF2_MetricValue value = {.unsigned_int = bytes};
    const struct pinsight_otf2_location *location;

    if (otf2->failed != OTF2_SUCCESS)
        return;
    location = location_of(otf2, otf2->export->model->processes[process->index]);
    if (!location->writer)
        return;
    pinsight_otf2_note_time(otf2, ns);
    pinsight_otf2_check(otf2,
                        OTF2_EvtWriter_Metric(location->writer, NULL, ns, CLASS, 1, &type, &value));
}

void pinsight_otf2_write_memory(struct pinsight_otf2_definitions *definitions) {
    struct pinsight_otf2 *otf2 = definitions->otf2;
    const OTF2_MetricMemberRef members[] = {MEMBER};

    if (!otf2->memories.used)
        return;
    pinsight_otf2_check(
        otf2,
        OTF2_GlobalDefWriter_WriteMetricMember(
            definitions->writer, MEMBER, pinsight_otf2_string(definitions, "resident memory"),
            pinsight_otf2_string(definitions, "Memory of the process that is not swapped out"),
            OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ABSOLUTE_POINT, OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL,
            0, pinsight_otf2_string(definitions, "bytes")));
    pinsight_otf2_check(otf2, OTF2_GlobalDefWriter_WriteMetricClass(
                                  definitions->writer, CLASS, 1, members, OTF2_METRIC_ASYNCHRONOUS,
                                  OTF2_RECORDER_KIND_ABSTRACT));
}

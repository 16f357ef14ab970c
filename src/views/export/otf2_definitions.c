/* Writes the definitions of an OTF2 archive: the clock, the machine, processes and threads.
 * otf2_streams.c, otf2_regions.c and otf2_comms.c add theirs. */
#include "base/escape.h"
#include "base/memory.h"
#include "base/order.h"
#include "reader/mpi/mpi.h"
#include "views/export/otf2.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_on_one_line(uint32_t point) {
    return point >= ' ' && point != 0x7f;
}

char *pinsight_otf2_valid(const char *text) {
    return pinsight_escape_if(text, is_on_one_line);
}

OTF2_StringRef pinsight_otf2_string(struct pinsight_otf2_definitions *definitions,
                                    const char *text) {
    char *copy = pinsight_otf2_valid(text);
    size_t count = definitions->strings.count;
    uint32_t number = pinsight_strings_add(&definitions->strings, copy, strlen(copy));

    for (; count < definitions->strings.count; count++)
        pinsight_otf2_check(definitions->otf2,
                            OTF2_GlobalDefWriter_WriteString(
                                definitions->writer, (OTF2_StringRef)count,
                                pinsight_strings_text(&definitions->strings, (uint32_t)count)));
    free(copy);
    return number;
}

uint32_t pinsight_otf2_group(struct pinsight_otf2_definitions *definitions, const char *name,
                             OTF2_GroupType type, OTF2_Paradigm paradigm, const uint64_t *members,
                             uint32_t count) {
    OTF2_StringRef string = pinsight_otf2_string(definitions, name);

    pinsight_otf2_check(definitions->otf2,
                        OTF2_GlobalDefWriter_WriteGroup(definitions->writer, definitions->groups,
                                                        string, type, paradigm,
                                                        OTF2_GROUP_FLAG_NONE, count, members));
    return definitions->groups++;
}

static void write_node(struct pinsight_otf2_definitions *definitions, uint32_t number,
                       const char *name, const char *class, OTF2_SystemTreeDomain domain,
                       uint32_t parent) {
    OTF2_StringRef name_number = pinsight_otf2_string(definitions, name);
    OTF2_StringRef class_number = pinsight_otf2_string(definitions, class);

    pinsight_otf2_check(definitions->otf2,
                        OTF2_GlobalDefWriter_WriteSystemTreeNode(
                            definitions->writer, number, name_number, class_number, parent));
    pinsight_otf2_check(definitions->otf2, OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(
                                               definitions->writer, number, domain));
}

/* Orders processes as a viewer shows them: those of MPI by rank, then the others by their begin. */
static int compare(const void *a, const void *b) {
    const struct pinsight_process *one = *(struct pinsight_process *const *)a;
    const struct pinsight_process *other = *(struct pinsight_process *const *)b;
    const struct pinsight_mpi_rank *own = pinsight_process_mpi(one);
    const struct pinsight_mpi_rank *others = pinsight_process_mpi(other);
    uint64_t world = own ? own->world : UINT64_MAX;
    uint64_t others_world = others ? others->world : UINT64_MAX;
    uint32_t rank = own ? own->rank : 0, others_rank = others ? others->rank : 0;

    return BY(world, others_world) ?: BY(rank, others_rank) ?: BY(one->index, other->index);
}

struct pinsight_process *pinsight_otf2_process(const struct pinsight_otf2_location *location) {
    return location->track ? pinsight_track_process(location->track) : location->process;
}

/* Returns the processes that have a location, sorted. The caller frees the array. Sets `groups` to
 * the number of each process, by its index in the model. */
static struct pinsight_process **processes_of(const struct pinsight_otf2 *otf2, uint32_t *groups,
                                              uint32_t *count) {
    const struct pinsight_model *model = otf2->export->model;
    struct pinsight_process **processes =
        pinsight_calloc(model->process_count + 1, sizeof(struct pinsight_process *));

    *count = 0;
    for (size_t i = 0; i < otf2->location_count; i++) {
        struct pinsight_process *process = pinsight_otf2_process(&otf2->locations[i]);

        if (groups[process->index] == PINSIGHT_NONE)
            processes[(*count)++] = process;
        groups[process->index] = 0;
    }
    PINSIGHT_SORT(processes, *count, compare);
    for (uint32_t i = 0; i < *count; i++)
        groups[processes[i]->index] = i;
    return processes;
}

uint32_t pinsight_otf2_node(struct pinsight_otf2_definitions *definitions,
                            const struct pinsight_process *process) {
    struct pinsight_map *hosts = &definitions->hosts;
    const struct pinsight_model *model = definitions->otf2->export->model;
    const char *name = pinsight_strings_text(&model->strings, process->hostname);
    uint32_t node = pinsight_map_get(hosts, process->hostname, 0, 0);

    if (node != PINSIGHT_MAP_NONE)
        return node;
    node = hosts->used + 1;
    pinsight_map_set(hosts, process->hostname, 0, 0, node);
    write_node(definitions, node, *name ? name : "?", "node", OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY,
               0);
    return node;
}

/* Returns the number of the process that started a process, or OTF2_UNDEFINED_LOCATION_GROUP if it
 * is not in the trace. */
static uint32_t parent_of(struct pinsight_process *const *processes, uint32_t count,
                          uint32_t child) {
    const struct pinsight_process *parent = pinsight_model_parent(processes[child]);

    for (uint32_t i = 0; parent && i < count; i++)
        if (processes[i] == parent)
            return i;
    return OTF2_UNDEFINED_LOCATION_GROUP;
}

static void write_processes(struct pinsight_otf2_definitions *definitions,
                            struct pinsight_process *const *processes, uint32_t count) {
    const struct pinsight_model *model = definitions->otf2->export->model;
    char name[256];

    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = pinsight_otf2_node(definitions, processes[i]);
        OTF2_StringRef string = pinsight_otf2_string(
            definitions, pinsight_track_process_name(model, processes[i], name, sizeof(name)));

        pinsight_otf2_check(definitions->otf2,
                            OTF2_GlobalDefWriter_WriteLocationGroup(
                                definitions->writer, i, string, OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                node, parent_of(processes, count, i)));
    }
}

static void write_locations(struct pinsight_otf2_definitions *definitions, const uint32_t *groups) {
    const struct pinsight_otf2 *otf2 = definitions->otf2;
    char buffer[256];

    for (size_t i = 0; i < otf2->location_count; i++) {
        const struct pinsight_otf2_location *location = &otf2->locations[i];
        const char *name =
            location->track
                ? pinsight_track_name(otf2->export->model, location->track, buffer, sizeof(buffer))
                : location->name;
        OTF2_StringRef string = pinsight_otf2_string(definitions, name);

        pinsight_otf2_check(definitions->otf2,
                            OTF2_GlobalDefWriter_WriteLocation(
                                definitions->writer, location->id, string,
                                location->stream   ? OTF2_LOCATION_TYPE_ACCELERATOR_STREAM
                                : location->memory ? OTF2_LOCATION_TYPE_METRIC
                                                   : OTF2_LOCATION_TYPE_CPU_THREAD,
                                location->events,
                                location->stream ? location->group
                                                 : groups[pinsight_otf2_process(location)->index]));
    }
}

void pinsight_otf2_define(struct pinsight_otf2 *otf2) {
    const struct pinsight_model *model = otf2->export->model;
    struct pinsight_otf2_definitions definitions = {.otf2 = otf2};
    uint32_t *groups = pinsight_calloc(model->process_count + 1, sizeof(*groups)), count, next;
    struct pinsight_process **processes;

    definitions.writer = OTF2_Archive_GetGlobalDefWriter(otf2->archive);
    if (!definitions.writer) {
        pinsight_otf2_check(otf2, OTF2_ERROR_MEM_ALLOC_FAILED);
        free(groups);
        return;
    }
    memset(groups, 0xff, (model->process_count + 1) * sizeof(*groups));
    pinsight_otf2_string(&definitions, "");
    /* Times are nanoseconds since 1970, as in the trace. */
    pinsight_otf2_check(otf2, OTF2_GlobalDefWriter_WriteClockProperties(
                                  definitions.writer, UINT64_C(1000000000), otf2->first_ns,
                                  otf2->last_ns - otf2->first_ns + 1, otf2->first_ns));
    write_node(&definitions, 0, "machine", "machine", OTF2_SYSTEM_TREE_DOMAIN_MACHINE,
               OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    processes = processes_of(otf2, groups, &count);
    write_processes(&definitions, processes, count);
    next = pinsight_otf2_write_devices(&definitions, groups, count);
    write_locations(&definitions, groups);
    pinsight_otf2_write_memory(&definitions);
    pinsight_otf2_write_regions(&definitions);
    pinsight_otf2_write_streams(&definitions);
    pinsight_otf2_write_comms(&definitions, next);
    free((void *)processes);
    free(groups);
    pinsight_map_clear(&definitions.hosts);
    pinsight_strings_clear(&definitions.strings);
}

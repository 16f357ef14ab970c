/* Writes devices and their streams. OTF2 3.0 wants each device of a process as a location group
 * that the process created. Each stream is a location of its device's group. */
#include "base/memory.h"
#include "views/domain.h"
#include "views/export/otf2.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void write_device(struct pinsight_otf2_definitions *definitions,
                         const struct pinsight_device_stream *stream, uint32_t number,
                         uint32_t process_group) {
    const struct pinsight_model *model = definitions->otf2->export->model;
    uint32_t node = pinsight_otf2_node(definitions, stream->process);
    char process[256], name[300];
    OTF2_StringRef string;

    pinsight_track_process_name(model, stream->process, process, sizeof(process));
    snprintf(name, sizeof(name), "%s: GPU %" PRIu32, process, stream->device);
    string = pinsight_otf2_string(definitions, name);
    pinsight_otf2_check(definitions->otf2,
                        OTF2_GlobalDefWriter_WriteLocationGroup(
                            definitions->writer, number, string,
                            OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, node, process_group));
}

uint32_t pinsight_otf2_write_devices(struct pinsight_otf2_definitions *definitions,
                                     const uint32_t *groups, uint32_t next) {
    struct pinsight_otf2 *otf2 = definitions->otf2;
    struct pinsight_map devices = {0};

    for (size_t i = 0; i < otf2->location_count; i++) {
        struct pinsight_otf2_location *location = &otf2->locations[i];
        const struct pinsight_device_stream *stream = location->stream;

        if (!stream)
            continue;
        location->group = pinsight_map_get(&devices, stream->process->index, stream->device, 0);
        if (location->group != PINSIGHT_MAP_NONE)
            continue;
        location->group = next++;
        pinsight_map_set(&devices, stream->process->index, stream->device, 0, location->group);
        write_device(definitions, stream, location->group, groups[stream->process->index]);
    }
    pinsight_map_clear(&devices);
    return next;
}

void pinsight_otf2_write_streams(struct pinsight_otf2_definitions *definitions) {
    const struct pinsight_otf2 *otf2 = definitions->otf2;
    const struct otf2_domain *domain = otf2_domains[slice_domain(PINSIGHT_SLICE_WORK)];
    uint64_t *members = pinsight_calloc(otf2->location_count + 1, sizeof(*members));
    uint32_t count = 0;

    for (size_t i = 0; i < otf2->location_count; i++)
        if (otf2->locations[i].stream)
            members[count++] = otf2->locations[i].id;
    if (count)
        pinsight_otf2_group(definitions, domain->streams, OTF2_GROUP_TYPE_LOCATIONS,
                            domain->paradigm, members, count);
    free(members);
}

/* Writes communicators of MPI, and teams of OpenMP, which are communicators in OTF2, too. A
 * paradigm has a list of locations. A group consists of indices in this list. */
#include "base/memory.h"
#include "reader/mpi/mpi.h"
#include "views/export/otf2.h"
#include "views/export/otf2_archive.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The most ranks outside the trace with a location of their own. Further ones share a location. */
#define MOST_ABSENT 65536u

struct comms {
    struct pinsight_otf2_definitions *definitions;
    const struct pinsight_mpi *mpi;
    uint64_t *locations; /* list of MPI's locations */
    size_t count, capacity;
    uint32_t *places; /* index in `locations`, by index of the rank */
    /* Index in `locations` of a rank outside the trace, by communicator and member. */
    struct pinsight_map absent;
    uint32_t next_group; /* next number of a location group */
};

/* Makes a location for a rank outside the trace, because readers need one. */
static uint64_t add_absent(struct comms *comms, uint32_t rank) {
    struct pinsight_otf2_definitions *definitions = comms->definitions;
    struct pinsight_otf2 *otf2 = definitions->otf2;
    uint64_t number = pinsight_otf2_location_id(
        otf2, rank == PINSIGHT_MPI_NO_RANK ? -1 : (int64_t)rank,
        (uint32_t)(otf2->export->model->process_count + otf2->absent_count), 0);
    OTF2_EvtWriter *writer; /* writes an empty file */
    OTF2_StringRef string;
    char name[64];

    if (rank == PINSIGHT_MPI_NO_RANK)
        snprintf(name, sizeof(name), "a rank that is not in the trace");
    else
        snprintf(name, sizeof(name), "rank %" PRIu32 " (not in the trace)", rank);
    string = pinsight_otf2_string(definitions, name);
    pinsight_otf2_check(
        otf2, OTF2_GlobalDefWriter_WriteLocationGroup(definitions->writer, comms->next_group,
                                                      string, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                      OTF2_UNDEFINED_LOCATION_GROUP));
    pinsight_otf2_check(otf2, OTF2_GlobalDefWriter_WriteLocation(
                                  definitions->writer, number, string,
                                  OTF2_LOCATION_TYPE_CPU_THREAD, 0, comms->next_group));
    comms->next_group++;
    *PINSIGHT_ADD(otf2->absent, otf2->absent_count, otf2->absent_capacity) = number;
    writer = pinsight_otf2_writer(otf2, number);
    pinsight_otf2_check(otf2, writer ? OTF2_Archive_CloseEvtWriter(otf2->archive, writer)
                                     : OTF2_ERROR_MEM_ALLOC_FAILED);
    return number;
}

static uint32_t add_place(struct comms *comms, uint64_t location) {
    comms->locations =
        pinsight_grow(comms->locations, comms->count, &comms->capacity, sizeof(*comms->locations));
    comms->locations[comms->count] = location;
    return (uint32_t)comms->count++;
}

/* Returns the index of a communicator's member in `locations`. */
static uint32_t place_of(struct comms *comms, uint32_t comm, uint32_t member) {
    uint32_t world, whose = comms->mpi->comms[comm].world, place;
    uint32_t rank = pinsight_mpi_member(comms->mpi, comm, member, &world);

    if (rank != PINSIGHT_NONE && comms->places[rank] != PINSIGHT_NONE)
        return comms->places[rank];
    if (rank != PINSIGHT_NONE) /* the process is in the trace, but none of its threads called MPI */
        place = pinsight_map_get(&comms->absent, rank, 0, 0);
    else if (world != PINSIGHT_MPI_NO_RANK)
        place = pinsight_map_get(&comms->absent, world, whose, 1);
    else
        place = pinsight_map_get(&comms->absent, member, comm, 2);
    if (place != PINSIGHT_MAP_NONE)
        return place;
    if (comms->definitions->otf2->absent_count >= MOST_ABSENT)
        return (uint32_t)comms->count - 1;
    place = add_place(comms, add_absent(comms, world));
    if (rank != PINSIGHT_NONE)
        pinsight_map_set(&comms->absent, rank, 0, 0, place);
    else if (world != PINSIGHT_MPI_NO_RANK)
        pinsight_map_set(&comms->absent, world, whose, 1, place);
    else
        pinsight_map_set(&comms->absent, member, comm, 2, place);
    return place;
}

/* Adds the locations of ranks, which are their main threads. */
static void add_ranks(struct comms *comms) {
    const struct pinsight_otf2 *otf2 = comms->definitions->otf2;
    size_t count = comms->mpi->rank_count;
    uint32_t *found = pinsight_calloc(count + 1, sizeof(*found));

    for (size_t i = 0; i < count; i++)
        found[i] = comms->places[i] = PINSIGHT_NONE;
    for (size_t i = 0; i < otf2->location_count; i++) {
        const struct pinsight_otf2_location *location = &otf2->locations[i];
        const struct pinsight_mpi_rank *rank =
            pinsight_process_mpi(pinsight_otf2_process(location));

        if (rank && location->mpi &&
            (found[rank->index] == PINSIGHT_NONE ||
             (location->track && pinsight_thread_mpi(location->track->thread) == rank->main)))
            found[rank->index] = (uint32_t)i;
    }
    /* The order is by world, then by rank. */
    for (uint32_t comm = 0; comm < comms->mpi->comm_count; comm++)
        for (uint32_t i = 0; i < comms->mpi->comms[comm].member_count; i++) {
            uint32_t rank = comms->mpi->comms[comm].members[i].rank;

            if (rank != PINSIGHT_NONE && comms->mpi->ranks[rank]->world == comm &&
                found[rank] != PINSIGHT_NONE && comms->places[rank] == PINSIGHT_NONE)
                comms->places[rank] = add_place(comms, otf2->locations[found[rank]].id);
        }
    for (uint32_t i = 0; i < count; i++)
        if (found[i] != PINSIGHT_NONE && comms->places[i] == PINSIGHT_NONE)
            comms->places[i] = add_place(comms, otf2->locations[found[i]].id);
    free(found);
}

/* Returns whether a communicator is written: it is used, or is the MPI_COMM_WORLD of a rank. */
static bool is_written(struct comms *comms, uint32_t comm) {
    struct pinsight_otf2 *otf2 = comms->definitions->otf2;
    const struct pinsight_mpi_comm *entry = &comms->mpi->comms[comm];

    if (pinsight_map_get(&otf2->comm_map, PINSIGHT_OTF2_MPI, comm, 0) != PINSIGHT_MAP_NONE)
        return true;
    for (uint32_t i = 0; i < entry->member_count; i++)
        if (entry->members[i].rank != PINSIGHT_NONE &&
            comms->mpi->ranks[entry->members[i].rank]->world == comm)
            return true;
    return false;
}

static uint32_t write_members(struct comms *comms, const char *name, uint32_t comm, uint32_t first,
                              uint32_t count) {
    uint64_t *members = pinsight_calloc(count + 1, sizeof(*members));
    uint32_t group;

    for (uint32_t i = 0; i < count; i++)
        members[i] = place_of(comms, comm, first + i);
    group = pinsight_otf2_group(comms->definitions, name, OTF2_GROUP_TYPE_COMM_GROUP,
                                OTF2_PARADIGM_MPI, members, count);
    free(members);
    return group;
}

static void write_comm(struct comms *comms, uint32_t comm) {
    struct pinsight_otf2_definitions *definitions = comms->definitions;
    struct pinsight_otf2 *otf2 = definitions->otf2;
    const struct pinsight_mpi_comm *entry = &comms->mpi->comms[comm];
    const char *given = pinsight_strings_text(&otf2->export->model->strings, entry->name);
    uint32_t number = pinsight_otf2_comm(otf2, PINSIGHT_OTF2_MPI, comm), group, other;
    char name[64];
    OTF2_StringRef string;

    snprintf(name, sizeof(name), "communicator %" PRIu32, comm);
    if (!*given)
        given = name;
    string = pinsight_otf2_string(definitions, given);
    group = write_members(comms, given, comm, 0, entry->sizes[0]);
    if (!entry->sizes[1]) {
        pinsight_otf2_check(otf2, OTF2_GlobalDefWriter_WriteComm(definitions->writer, number,
                                                                 string, group, OTF2_UNDEFINED_COMM,
                                                                 OTF2_COMM_FLAG_NONE));
        return;
    }
    other = write_members(comms, given, comm, entry->sizes[0], entry->sizes[1]);
    pinsight_otf2_check(
        otf2, OTF2_GlobalDefWriter_WriteInterComm(definitions->writer, number, string, group, other,
                                                  OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
}

static void write_paradigm(struct pinsight_otf2_definitions *definitions, OTF2_Paradigm paradigm,
                           const char *name, OTF2_ParadigmClass class) {
    OTF2_StringRef string = pinsight_otf2_string(definitions, name);

    pinsight_otf2_check(definitions->otf2, OTF2_GlobalDefWriter_WriteParadigm(
                                               definitions->writer, paradigm, string, class));
}

/* Writes the list of MPI's locations, to which the groups refer. */
static void begin_mpi(struct comms *comms) {
    uint32_t count = (uint32_t)comms->mpi->comm_count;

    comms->places = pinsight_calloc(comms->mpi->rank_count + 1, sizeof(*comms->places));
    add_ranks(comms);
    for (uint32_t comm = 0; comm < count; comm++) {
        if (!is_written(comms, comm))
            continue;
        pinsight_otf2_comm(comms->definitions->otf2, PINSIGHT_OTF2_MPI, comm);
        for (uint32_t i = 0; i < comms->mpi->comms[comm].member_count; i++)
            place_of(comms, comm, i);
    }
    write_paradigm(comms->definitions, OTF2_PARADIGM_MPI, "MPI", OTF2_PARADIGM_CLASS_PROCESS);
    pinsight_otf2_group(comms->definitions, "MPI", OTF2_GROUP_TYPE_COMM_LOCATIONS,
                        OTF2_PARADIGM_MPI, comms->locations, (uint32_t)comms->count);
}

/* Collects the indices of a team's locations in the list of all. With PINSIGHT_NONE, collects the
 * ids of the locations of all teams. Returns their number. */
static uint32_t members_of(const struct pinsight_otf2 *otf2, uint32_t team, uint64_t *members) {
    uint32_t count = 0, place = 0;

    for (size_t i = 0; i < otf2->location_count; i++) {
        if (otf2->locations[i].team == PINSIGHT_NONE)
            continue;
        if (team == PINSIGHT_NONE)
            members[count++] = otf2->locations[i].id;
        else if (otf2->locations[i].team == team)
            members[count++] = place;
        place++;
    }
    return count;
}

/* Writes the list of OpenMP's locations. */
static void begin_teams(struct pinsight_otf2_definitions *definitions, uint64_t *members) {
    uint32_t count = members_of(definitions->otf2, PINSIGHT_NONE, members);

    if (!count)
        return;
    write_paradigm(definitions, OTF2_PARADIGM_OPENMP, "OpenMP",
                   OTF2_PARADIGM_CLASS_THREAD_FORK_JOIN);
    pinsight_otf2_group(definitions, "OpenMP", OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_OPENMP,
                        members, count);
}

static void write_team(struct pinsight_otf2_definitions *definitions, uint32_t number,
                       uint32_t process, uint64_t *members) {
    struct pinsight_otf2 *otf2 = definitions->otf2;
    const struct pinsight_model *model = otf2->export->model;
    uint32_t count = members_of(otf2, number, members), group;
    char whose[256], name[300];
    OTF2_StringRef string;

    snprintf(name, sizeof(name), "OpenMP threads of %s",
             pinsight_track_process_name(model, model->processes[process], whose, sizeof(whose)));
    string = pinsight_otf2_string(definitions, name);
    group = pinsight_otf2_group(definitions, name, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP,
                                members, count);
    pinsight_otf2_check(otf2,
                        OTF2_GlobalDefWriter_WriteComm(definitions->writer, number, string, group,
                                                       OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
}

void pinsight_otf2_write_comms(struct pinsight_otf2_definitions *definitions, uint32_t groups) {
    struct pinsight_otf2 *otf2 = definitions->otf2;
    const struct pinsight_map *map = &otf2->comm_map;
    struct comms comms = {.definitions = definitions,
                          .mpi = pinsight_model_mpi(otf2->export->model),
                          .next_group = groups};
    uint64_t *members = pinsight_calloc(otf2->location_count + 1, sizeof(*members));
    struct pinsight_map_entry *sorted;

    if (comms.mpi && comms.mpi->rank_count)
        begin_mpi(&comms);
    begin_teams(definitions, members);
    /* Readers need them in the order of their numbers. */
    sorted = pinsight_calloc(otf2->comm_count + 1, sizeof(*sorted));
    for (uint64_t i = 0; map->entries && i <= map->mask; i++)
        if (map->entries[i].value != PINSIGHT_MAP_NONE)
            sorted[map->entries[i].value] = map->entries[i];
    for (uint32_t i = 0; i < otf2->comm_count; i++) {
        if (sorted[i].a == PINSIGHT_OTF2_MPI)
            write_comm(&comms, sorted[i].b);
        else
            write_team(definitions, i, sorted[i].b, members);
    }
    pinsight_map_clear(&comms.absent);
    PINSIGHT_FREE(sorted, members, comms.places, comms.locations);
}

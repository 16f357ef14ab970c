/* Between the parts of the form OTF2 (export_otf2.c): what is kept of a trace until its definitions
 * are written, at the end. Not thread-safe. */
#ifndef PINSIGHT_VIEWS_OTF2_H
#define PINSIGHT_VIEWS_OTF2_H

#include "base/map.h"
#include "views/export/folder.h"

#include <otf2/otf2.h>

/* A thread, or a stream of a device. */
struct pinsight_otf2_location {
    OTF2_LocationRef id;
    OTF2_EvtWriter *writer;
    struct pinsight_track *track;                /* NULL once it is forgotten; then: */
    struct pinsight_process *process;            /* whose it was */
    const struct pinsight_device_stream *stream; /* NULL of a thread */
    const struct pinsight_thread *mpi; /* the thread, where it called MPI; not to be looked into */
    char *name;                        /* and what it was called; owned */
    uint32_t team;                     /* the communicator of its teams, or PINSIGHT_NONE */
    uint32_t group;                    /* of locations, set when definitions are written */
    uint64_t events;
};

/* A region: what slices have in common that are shown as one thing. */
struct pinsight_otf2_region {
    struct pinsight_slice slice; /* the first of them */
    uint32_t id;                 /* by its kind, see pinsight_otf2_region */
};

struct pinsight_otf2 {
    struct pinsight_export *export;
    OTF2_Archive *archive;
    struct pinsight_export_folder folder;
    OTF2_ErrorCode failed; /* the first error, OTF2_SUCCESS for none */
    bool hears;            /* of the library's errors; who did before: */
    OTF2_ErrorCallback others_callback;
    struct pinsight_otf2_location *locations; /* in the order of their first events */
    size_t location_count, location_capacity;
    struct pinsight_map ids;     /* of locations, that are taken */
    struct pinsight_map threads; /* by process: how many of its threads have one */
    OTF2_LocationRef *absent;    /* of locations without events, see otf2_comms.c */
    size_t absent_count, absent_capacity;
    struct pinsight_otf2_region *regions; /* by their number */
    size_t region_count, region_capacity;
    struct pinsight_map region_map; /* by kind and id */
    OTF2_MarkerWriter *marks;       /* NULL until there is one */
    struct pinsight_map comm_map;   /* by whose it is, see below, and index */
    uint32_t comm_count;
    uint64_t first_ns, last_ns;
    char *newest_chunk; /* of memory that the library asked for; not to be freed */
};

/* otf2_regions.c: the number of a slice's region, made at its first mention. */
uint32_t pinsight_otf2_region(struct pinsight_otf2 *otf2, const struct pinsight_slice *slice);

/* Their definitions, and groups of them by module. */
struct pinsight_otf2_definitions;
void pinsight_otf2_write_regions(struct pinsight_otf2_definitions *definitions);

/* export_otf2.c: the number of a communicator, made at its first mention: of MPI by its index in
 * the model, of the teams of a process by the process's. */
enum pinsight_otf2_comm { PINSIGHT_OTF2_MPI, PINSIGHT_OTF2_TEAM };
uint32_t pinsight_otf2_comm(struct pinsight_otf2 *otf2, enum pinsight_otf2_comm kind,
                            uint32_t index);

/* A number for a location, which it has for itself: as Score-P does it the rank of its process, and
 * above 32 bits its number there. Processes without a rank (less than 0) have numbers of their own.
 */
OTF2_LocationRef pinsight_otf2_location_id(struct pinsight_otf2 *otf2, int64_t rank,
                                           uint32_t process, uint32_t thread);

/* otf2_marks.c: a mark of a location; and no more of them. */
void pinsight_otf2_mark(struct pinsight_otf2 *otf2, OTF2_LocationRef location, const char *name,
                        uint64_t ns);
void pinsight_otf2_close_marks(struct pinsight_otf2 *otf2);

/* A copy of a text in valid UTF-8 on one line, other bytes shown as \x0a; to be freed. */
char *pinsight_otf2_valid(const char *text);

/* Keeps an error of the library. */
void pinsight_otf2_check(struct pinsight_otf2 *otf2, OTF2_ErrorCode code);

/* otf2_definitions.c: writes all definitions. */
void pinsight_otf2_define(struct pinsight_otf2 *otf2);

/* What a kind of slice is to OTF2. */
struct otf2_kind {
    OTF2_RegionRole role;
    const char *before; /* the name; NULL for nothing */
    const char *about;
    const char *group; /* of regions, NULL for that of the module */
    /* The role of what runs (see struct slice_view), where that is not the same for all; or NULL.
     */
    OTF2_RegionRole (*role_of)(const struct pinsight_model *model, uint32_t runs);
};

/* A domain, in the domain's file otf2.c; see reader/domains.def. */
struct otf2_domain {
    OTF2_Paradigm paradigm;
    struct otf2_kind kinds[PINSIGHT_SLICE_KINDS]; /* those that it makes */
    const char *streams; /* the group of all streams of its devices; NULL without devices */
};

extern const struct otf2_domain *const otf2_domains[READER_DOMAINS];

struct pinsight_otf2_definitions {
    struct pinsight_otf2 *otf2;
    OTF2_GlobalDefWriter *writer;
    struct pinsight_strings strings; /* those that were written, by their numbers */
    uint32_t groups;                 /* written */
    struct pinsight_map hosts;       /* to nodes of the system tree */
};

/* Whose a location is. */
struct pinsight_process *pinsight_otf2_process(const struct pinsight_otf2_location *location);

/* The node of a process's host, written at its first mention; 0 is the machine. */
uint32_t pinsight_otf2_node(struct pinsight_otf2_definitions *definitions,
                            const struct pinsight_process *process);

/* otf2_streams.c: groups of locations for the devices of processes, from number `next` on, which
 * the locations of their streams get. `groups` are those of processes, by their index. Returns the
 * next number. */
uint32_t pinsight_otf2_write_devices(struct pinsight_otf2_definitions *definitions,
                                     const uint32_t *groups, uint32_t next);
/* All streams as a group, where there are some. */
void pinsight_otf2_write_streams(struct pinsight_otf2_definitions *definitions);

/* The number of a string, which is made valid. */
OTF2_StringRef pinsight_otf2_string(struct pinsight_otf2_definitions *definitions,
                                    const char *text);

/* Writes a group; returns its number. */
uint32_t pinsight_otf2_group(struct pinsight_otf2_definitions *definitions, const char *name,
                             OTF2_GroupType type, OTF2_Paradigm paradigm, const uint64_t *members,
                             uint32_t count);

/* otf2_comms.c: the communicators of MPI and the teams of OpenMP. Ranks that are not in the trace,
 * but others speak of them, are locations without events, each in a group of locations of its own;
 * so many such groups were written before. */
void pinsight_otf2_write_comms(struct pinsight_otf2_definitions *definitions, uint32_t groups);

#endif

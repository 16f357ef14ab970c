/* The interface between the parts of the form OTF2 (otf2.c). The data is kept for the definitions,
 * which are written at the end. Not thread-safe. */
#ifndef PINSIGHT_VIEWS_OTF2_H
#define PINSIGHT_VIEWS_OTF2_H

#include "base/map.h"
#include "views/export/folder.h"

#include <otf2/otf2.h>

/* A location: a thread, a stream of a device, or the memory of a process. */
struct pinsight_otf2_location {
    OTF2_LocationRef id;
    OTF2_EvtWriter *writer;
    struct pinsight_track *track;     /* NULL once it is forgotten; then the next members are set */
    struct pinsight_process *process; /* its process, once the track is gone */
    const struct pinsight_device_stream *stream; /* NULL for a thread */
    const struct pinsight_thread *mpi; /* the thread if it called MPI; only for comparison */
    char *name;                        /* the track's name, once the track is gone; owned */
    uint32_t team;                     /* communicator of its teams, or PINSIGHT_NONE */
    uint32_t group;                    /* location group, set when definitions are written */
    bool memory;                       /* of its process, and no thread or stream */
    uint64_t events;
};

/* A region of OTF2: slices that are shown as one thing. */
struct pinsight_otf2_region {
    struct pinsight_slice slice; /* the first of these slices */
    uint32_t id;                 /* number of the code that runs, see pinsight_otf2_region() */
};

/* Memory of a closed location, which the next one gets. */
struct pinsight_otf2_spare {
    void *memory;   /* NULL: none */
    uint64_t bytes; /* of each buffer for this kind of file */
};

struct pinsight_otf2 {
    struct pinsight_export *export;
    OTF2_Archive *archive;
    struct pinsight_export_folder folder;
    OTF2_ErrorCode failed; /* the first error, or OTF2_SUCCESS */
    bool hears;            /* receives errors of the library, in place of: */
    OTF2_ErrorCallback others_callback;
    struct pinsight_otf2_location *locations; /* in the order of their first events */
    size_t location_count, location_capacity;
    struct pinsight_map ids;      /* location ids in use */
    struct pinsight_map threads;  /* by process: number of its threads with a location */
    struct pinsight_map memories; /* by process: index of the location of its memory */
    OTF2_LocationRef *absent;     /* locations without events, see otf2_comms.c */
    size_t absent_count, absent_capacity;
    struct pinsight_otf2_region *regions; /* by their number */
    size_t region_count, region_capacity;
    struct pinsight_map region_map; /* number of a region, by kind and id */
    OTF2_MarkerWriter *marks;       /* NULL before the first mark */
    struct pinsight_map comm_map; /* number of a communicator, by its kind (see below) and index */
    uint32_t comm_count;
    uint64_t first_ns, last_ns;
    char *newest_chunk; /* the last memory that the library requested; not to be freed */
    struct pinsight_otf2_spare spare[OTF2_FILETYPE_SIONRANKMAP + 1]; /* by OTF2_FileType */
};

/* otf2_regions.c: Returns the number of a slice's region, and makes it at the first call. */
uint32_t pinsight_otf2_region(struct pinsight_otf2 *otf2, const struct pinsight_slice *slice);

/* Writes the regions' definitions, and groups of regions by module. */
struct pinsight_otf2_definitions;
void pinsight_otf2_write_regions(struct pinsight_otf2_definitions *definitions);

/* otf2.c: Returns the number of a communicator, and makes it at the first call. The index of an MPI
 * communicator is that of the model. The index of a process's teams is the process's. */
enum pinsight_otf2_comm { PINSIGHT_OTF2_MPI, PINSIGHT_OTF2_TEAM };
uint32_t pinsight_otf2_comm(struct pinsight_otf2 *otf2, enum pinsight_otf2_comm kind,
                            uint32_t index);

/* Returns a unique number for a location. Like in Score-P, the low 32 bits are the rank of the
 * process. The high bits are the number of the thread. A process without a rank (below 0) has
 * another number that is unique. */
OTF2_LocationRef pinsight_otf2_location_id(struct pinsight_otf2 *otf2, int64_t rank,
                                           uint32_t process, uint32_t thread);

/* otf2_marks.c: Write a mark of a location, and close the marks' file. */
void pinsight_otf2_mark(struct pinsight_otf2 *otf2, OTF2_LocationRef location, const char *name,
                        uint64_t ns);
void pinsight_otf2_close_marks(struct pinsight_otf2 *otf2);

/* otf2_memory.c: Write a reading of a process's resident memory, and the definitions of all. */
void pinsight_otf2_memory(struct pinsight_otf2 *otf2, const struct pinsight_process *process,
                          uint64_t bytes, uint64_t ns);
void pinsight_otf2_write_memory(struct pinsight_otf2_definitions *definitions);

/* Notes a time of an event, for the times of the whole archive. */
void pinsight_otf2_note_time(struct pinsight_otf2 *otf2, uint64_t ns);

/* Returns a copy of a text in valid UTF-8 on one line, with other bytes as \x0a. The caller frees
 * it. */
char *pinsight_otf2_valid(const char *text);

/* Keeps the first error of the library. */
void pinsight_otf2_check(struct pinsight_otf2 *otf2, OTF2_ErrorCode code);

/* otf2_definitions.c: Writes all definitions. */
void pinsight_otf2_define(struct pinsight_otf2 *otf2);

/* How OTF2 shows a kind of slice. */
struct otf2_kind {
    OTF2_RegionRole role;
    const char *before; /* prefix of the name, or NULL */
    const char *about;
    const char *group; /* group of the regions; NULL: that of the module */
    /* Returns the role of the code that runs (see struct slice_view), if the kind has several
     * roles; or NULL. */
    OTF2_RegionRole (*role_of)(const struct pinsight_model *model, uint32_t runs);
};

/* The OTF2 part of a domain, in the domain's file otf2.c; see reader/domains.def. */
struct otf2_domain {
    OTF2_Paradigm paradigm;
    struct otf2_kind kinds[PINSIGHT_SLICE_KINDS]; /* the kinds of slices that the domain makes */
    const char *streams; /* group of all streams of its devices; NULL without devices */
};

extern const struct otf2_domain *const otf2_domains[READER_DOMAINS];

struct pinsight_otf2_definitions {
    struct pinsight_otf2 *otf2;
    OTF2_GlobalDefWriter *writer;
    struct pinsight_strings strings; /* written strings, by their numbers */
    uint32_t groups;                 /* number of written groups */
    struct pinsight_map hosts;       /* node of the system tree, by host */
};

/* Returns the process of a location. */
struct pinsight_process *pinsight_otf2_process(const struct pinsight_otf2_location *location);

/* Returns the node of a process's host, and writes it at the first call. Node 0 is the machine. */
uint32_t pinsight_otf2_node(struct pinsight_otf2_definitions *definitions,
                            const struct pinsight_process *process);

/* otf2_streams.c: Writes a location group for each device of a process, and assigns it to the
 * device's streams. The groups have numbers from `next` on. `groups` has the numbers of the
 * processes' groups, by index. Returns the next free number. */
uint32_t pinsight_otf2_write_devices(struct pinsight_otf2_definitions *definitions,
                                     const uint32_t *groups, uint32_t next);
/* Writes a group of all streams, if there are any. */
void pinsight_otf2_write_streams(struct pinsight_otf2_definitions *definitions);

/* Returns the number of a string, which is made valid first. */
OTF2_StringRef pinsight_otf2_string(struct pinsight_otf2_definitions *definitions,
                                    const char *text);

/* Writes a group, and returns its number. */
uint32_t pinsight_otf2_group(struct pinsight_otf2_definitions *definitions, const char *name,
                             OTF2_GroupType type, OTF2_Paradigm paradigm, const uint64_t *members,
                             uint32_t count);

/* otf2_comms.c: Writes the communicators of MPI and the teams of OpenMP. A rank outside the trace
 * that communicates with ranks in it becomes a location without events. Each has a location group
 * of its own, numbered from `groups` on. */
void pinsight_otf2_write_comms(struct pinsight_otf2_definitions *definitions, uint32_t groups);

#endif

/* Windows, files and groups: a number for each. They are found by the handle without a lock. */
#ifndef PINSIGHT_MPI_OBJECT_H
#define PINSIGHT_MPI_OBJECT_H

#include <stdatomic.h>
#include <stdint.h>

#define PINSIGHT_MPI_OBJECT_BUCKETS 64

struct pinsight_mpi_object;

/* One kind of objects of the process: windows, files or groups. */
struct pinsight_mpi_object_kind {
    /* Records the definition. `name` is never empty. */
    void (*define)(uint32_t id, uint32_t comm, const char *name);
    struct pinsight_mpi_object *_Atomic buckets[PINSIGHT_MPI_OBJECT_BUCKETS];
    uint32_t last_id; /* under the lock */
};

/* The handle of a group is a hash of its processes, and its name lists them. */
extern struct pinsight_mpi_object_kind pinsight_mpi_wins, pinsight_mpi_files, pinsight_mpi_groups;

/* Registers an object that was made over the communicator with number `comm`. `name` may be NULL.
 * Returns the object's number, or 0 if memory is short. Any thread. */
uint32_t pinsight_mpi_object_made(struct pinsight_mpi_object_kind *kind, uint64_t handle,
                                  uint32_t comm, const char *name);

/* Returns the number of an object, or 0 if it is unknown. Records the definition if a session
 * listens. */
uint32_t pinsight_mpi_object_of(struct pinsight_mpi_object_kind *kind, uint64_t handle);

/* Called when an object was freed, because its handle may be reused. */
void pinsight_mpi_object_freed(struct pinsight_mpi_object_kind *kind, uint64_t handle);

#endif

/* Windows, files and groups: a number for each. Found by the handle without a lock. */
#ifndef PINSIGHT_MPI_OBJECT_H
#define PINSIGHT_MPI_OBJECT_H

#include <stdatomic.h>
#include <stdint.h>

#define PINSIGHT_MPI_OBJECT_BUCKETS 64

struct pinsight_mpi_object;

/* The windows, or the files, of the process. */
struct pinsight_mpi_object_kind {
    /* Record the definition. `name` is never empty. */
    void (*define)(uint32_t id, uint32_t comm, const char *name);
    struct pinsight_mpi_object *_Atomic buckets[PINSIGHT_MPI_OBJECT_BUCKETS];
    uint32_t last_id; /* under the lock */
};

/* Of groups the handle is a hash of their processes, which are the name. */
extern struct pinsight_mpi_object_kind pinsight_mpi_wins, pinsight_mpi_files, pinsight_mpi_groups;

/* One was made, over the communicator of that number. `name` may be NULL. Returns its number, 0
 * when memory is short. Any thread. */
uint32_t pinsight_mpi_object_made(struct pinsight_mpi_object_kind *kind, uint64_t handle,
                                  uint32_t comm, const char *name);

/* Its number, its definition recorded where somebody listens; 0 where it is not known. */
uint32_t pinsight_mpi_object_of(struct pinsight_mpi_object_kind *kind, uint64_t handle);

/* It was freed: its handle may come to mean another. */
void pinsight_mpi_object_freed(struct pinsight_mpi_object_kind *kind, uint64_t handle);

#endif

/* Windows, files and groups; see object.h. */
#include "tracer/mpi/object.h"

#include "tracer/core/info.h"
#include "tracer/core/process.h"
#include "tracer/mpi/settings.h"
#include "tracer/record/mpi.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The longest name that is kept, because an event must fit into a sub-buffer. */
#define LONGEST 3000

struct pinsight_mpi_object {
    _Atomic uint64_t handle; /* 0: it was freed, and the place can be reused */
    uint32_t id, comm;
    char *name;               /* owned; may be NULL */
    _Atomic uint32_t defined; /* session version of the definition */
    struct pinsight_mpi_object *_Atomic next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void define_win(uint32_t id, uint32_t comm, const char *name) {
    (void)name;
    if (pinsight_record_mpi_win_info_enabled())
        pinsight_record_mpi_win_info(pinsight_process.pid, id, comm);
}

static void define_file(uint32_t id, uint32_t comm, const char *name) {
    if (pinsight_record_mpi_file_info_enabled())
        pinsight_record_mpi_file_info(pinsight_process.pid, id, comm, name);
}

static void define_group(uint32_t id, uint32_t comm, const char *ranks) {
    (void)comm;
    if (pinsight_record_mpi_group_info_enabled())
        pinsight_record_mpi_group_info(pinsight_process.pid, id, ranks);
}

struct pinsight_mpi_object_kind pinsight_mpi_wins = {.define = define_win};
struct pinsight_mpi_object_kind pinsight_mpi_files = {.define = define_file};
struct pinsight_mpi_object_kind pinsight_mpi_groups = {.define = define_group};

static struct pinsight_mpi_object *_Atomic *bucket_of(struct pinsight_mpi_object_kind *kind,
                                                      uint64_t handle) {
    return &kind->buckets[(handle * UINT64_C(0x9E3779B97F4A7C15)) >> 58];
}

static struct pinsight_mpi_object *find(struct pinsight_mpi_object *_Atomic *bucket,
                                        uint64_t handle) {
    struct pinsight_mpi_object *object = atomic_load_explicit(bucket, memory_order_acquire);
    while (object && atomic_load_explicit(&object->handle, memory_order_acquire) != handle)
        object = atomic_load_explicit(&object->next, memory_order_acquire);
    return object;
}

static void define(struct pinsight_mpi_object_kind *kind, struct pinsight_mpi_object *object) {
    uint32_t session_version = pinsight_session_version();
    if (pinsight_domain_mode(&pinsight_mpi_domain) != PINSIGHT_MODE_TRACING)
        return; /* defined when it is needed */
    if (atomic_exchange(&object->defined, session_version) == session_version ||
        pinsight_process.silent || pinsight_stuck())
        return;
    uint64_t before = pinsight_info_before();
    kind->define(object->id, object->comm, object->name && *object->name ? object->name : "?");
    pinsight_info_after(before);
}

uint32_t pinsight_mpi_object_made(struct pinsight_mpi_object_kind *kind, uint64_t handle,
                                  uint32_t comm, const char *name) {
    struct pinsight_mpi_object *_Atomic *bucket = bucket_of(kind, handle);
    char *copy = name ? strndup(name, LONGEST) : NULL;
    pthread_mutex_lock(&lock);
    struct pinsight_mpi_object *object = find(bucket, handle);
    if (!object)
        object = find(bucket, 0);
    if (!object && (object = calloc(1, sizeof *object)) != NULL) {
        atomic_store(&object->next, atomic_load(bucket));
        atomic_store_explicit(bucket, object, memory_order_release);
    }
    if (!object) {
        pthread_mutex_unlock(&lock);
        free(copy);
        return 0;
    }
    atomic_store(&object->handle, 0);
    free(object->name);
    object->name = copy;
    object->comm = comm;
    object->id = ++kind->last_id;
    atomic_store(&object->defined, 0);
    atomic_store_explicit(&object->handle, handle, memory_order_release);
    pthread_mutex_unlock(&lock);
    define(kind, object);
    return object->id;
}

uint32_t pinsight_mpi_object_of(struct pinsight_mpi_object_kind *kind, uint64_t handle) {
    struct pinsight_mpi_object *object = find(bucket_of(kind, handle), handle);
    if (!object || !handle)
        return 0;
    if (atomic_load_explicit(&object->defined, memory_order_relaxed) != pinsight_session_version())
        define(kind, object);
    return object->id;
}

void pinsight_mpi_object_freed(struct pinsight_mpi_object_kind *kind, uint64_t handle) {
    pthread_mutex_lock(&lock);
    struct pinsight_mpi_object *object = find(bucket_of(kind, handle), handle);
    if (object && handle)
        atomic_store(&object->handle, 0);
    pthread_mutex_unlock(&lock);
}

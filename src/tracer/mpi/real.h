/*
 * The MPI library behind the wrappers. The wrappers' library does not link it, because it may have
 * been loaded with RTLD_LOCAL. Functions are called through a table, and the objects that Open
 * MPI's mpi.h names (ompi_mpi_comm_world, ...) are found by name. Included in place of mpi.h.
 */
#ifndef PINSIGHT_MPI_REAL_H
#define PINSIGHT_MPI_REAL_H

#include <mpi.h>

#include <stdint.h>

#ifdef OPEN_MPI
/* mpi.h's macros for handles expand to this one. A member is a pointer to an object. */
#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global) ((type)pinsight_mpi_objects.global)

#define PINSIGHT_MPI_OBJECTS(OBJECT)                                                               \
    OBJECT(ompi_mpi_comm_world)                                                                    \
    OBJECT(ompi_mpi_comm_self)                                                                     \
    OBJECT(ompi_mpi_comm_null)                                                                     \
    OBJECT(ompi_mpi_group_null)                                                                    \
    OBJECT(ompi_mpi_info_null)                                                                     \
    OBJECT(ompi_mpi_win_null)                                                                      \
    OBJECT(ompi_mpi_file_null)                                                                     \
    OBJECT(ompi_mpi_datatype_null)                                                                 \
    OBJECT(ompi_request_null)                                                                      \
    OBJECT(ompi_message_no_proc)                                                                   \
    OBJECT(ompi_mpi_byte)                                                                          \
    OBJECT(ompi_mpi_op_max)                                                                        \
    OBJECT(ompi_mpi_op_min)                                                                        \
    OBJECT(ompi_mpi_op_sum)                                                                        \
    OBJECT(ompi_mpi_op_prod)                                                                       \
    OBJECT(ompi_mpi_op_land)                                                                       \
    OBJECT(ompi_mpi_op_band)                                                                       \
    OBJECT(ompi_mpi_op_lor)                                                                        \
    OBJECT(ompi_mpi_op_bor)                                                                        \
    OBJECT(ompi_mpi_op_lxor)                                                                       \
    OBJECT(ompi_mpi_op_bxor)                                                                       \
    OBJECT(ompi_mpi_op_maxloc)                                                                     \
    OBJECT(ompi_mpi_op_minloc)                                                                     \
    OBJECT(ompi_mpi_op_replace)                                                                    \
    OBJECT(ompi_mpi_op_no_op)

#define PINSIGHT_MPI_MEMBER(name) void *name;
struct pinsight_mpi_objects {
    PINSIGHT_MPI_OBJECTS(PINSIGHT_MPI_MEMBER)
};
extern struct pinsight_mpi_objects pinsight_mpi_objects;
#undef PINSIGHT_MPI_MEMBER
#endif

/* Functions of the library that the domain calls for itself. */
#define PINSIGHT_MPI_QUERIES(QUERY)                                                                \
    QUERY(Topo_test)                                                                               \
    QUERY(Graph_neighbors_count)                                                                   \
    QUERY(Dist_graph_neighbors_count)                                                              \
    QUERY(Cartdim_get)                                                                             \
    QUERY(Comm_get_name)                                                                           \
    QUERY(Comm_get_parent)                                                                         \
    QUERY(Comm_group)                                                                              \
    QUERY(Comm_rank)                                                                               \
    QUERY(Comm_remote_group)                                                                       \
    QUERY(Comm_remote_size)                                                                        \
    QUERY(Comm_size)                                                                               \
    QUERY(Comm_test_inter)                                                                         \
    QUERY(Finalized)                                                                               \
    QUERY(Get_library_version)                                                                     \
    QUERY(Get_version)                                                                             \
    QUERY(Group_free)                                                                              \
    QUERY(Group_rank)                                                                              \
    QUERY(Group_size)                                                                              \
    QUERY(Group_translate_ranks)                                                                   \
    QUERY(Info_create)                                                                             \
    QUERY(Info_dup)                                                                                \
    QUERY(Info_free)                                                                               \
    QUERY(Info_get)                                                                                \
    QUERY(Info_set)                                                                                \
    QUERY(Initialized)                                                                             \
    QUERY(Query_thread)                                                                            \
    QUERY(Type_get_envelope)                                                                       \
    QUERY(Type_size_x)

/* Open MPI 5 warns of functions that are deprecated in newer versions of MPI. Older libraries have
 * no others. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#define PINSIGHT_MPI_MEMBER(name) __typeof__(&PMPI_##name) name;
struct pinsight_mpi_queries {
    PINSIGHT_MPI_QUERIES(PINSIGHT_MPI_MEMBER)
};
#undef PINSIGHT_MPI_MEMBER
#pragma GCC diagnostic pop
extern struct pinsight_mpi_queries pinsight_mpi_query; /* complete after the start */

#ifdef MPI_SESSION_NULL /* Open MPI 5.0 has sessions, although it reports MPI 3.1 */
/* NULL if the library is older than the header. */
extern __typeof__(&PMPI_Group_from_session_pset) pinsight_mpi_from_pset;
#endif

/* The number of a handle, which is a pointer, or an int in MPICH. */
#define PINSIGHT_MPI_HANDLE(handle) ((uint64_t)(uintptr_t)(handle))

#endif

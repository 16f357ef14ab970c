/*
 * CUDA in the model: calls of threads, and the work of devices' streams for them. Not thread-safe.
 * All times are nanoseconds of the trace's clock.
 *
 * Work of a device is known from records (CUPTI's activity records) that come when their buffer is
 * delivered: after the call that caused the work has returned, and possibly never. They are often
 * in the order of a stream's work, but not always. A record names its call by the correlation
 * number. In each process, the last PINSIGHT_CUDA_WAITING calls without a record are kept, and the
 * last PINSIGHT_CUDA_MET calls with one (a graph has many). The last PINSIGHT_CUDA_HELD records of
 * each stream are held back, so that they can be sorted by their begins.
 */
#ifndef PINSIGHT_READER_CUDA_CUDA_H
#define PINSIGHT_READER_CUDA_CUDA_H

#include "reader/cuda/idle.h"
#include "reader/timeline.h"

#define PINSIGHT_CUDA_WAITING 262144
#define PINSIGHT_CUDA_MET 1024
#define PINSIGHT_CUDA_HELD 16384
/* The largest number of queued pieces of work that is determined before a requested one. A power of
 * two. */
#define PINSIGHT_CUDA_BEGUN 1024
/* The deepest nesting of calls in one thread. Deeper calls are ignored. */
#define PINSIGHT_CUDA_DEEPEST 16
/* The value for no stream in a record (CUPTI_SYNCHRONIZATION_INVALID_VALUE). */
#define PINSIGHT_CUDA_NO_STREAM UINT32_MAX

/* The purpose of a call. */
enum pinsight_cuda_role {
    PINSIGHT_CUDA_OTHER,    /* it requests no work, and does not wait */
    PINSIGHT_CUDA_LAUNCHES, /* requests a kernel or a graph */
    PINSIGHT_CUDA_COPIES,
    PINSIGHT_CUDA_SETS,
    PINSIGHT_CUDA_WAITS,          /* waits for a device, a stream or an event */
    PINSIGHT_CUDA_BEGINS_CAPTURE, /* begins the capture of a stream */
    PINSIGHT_CUDA_ENDS_CAPTURE,
};

enum pinsight_cuda_direction {
    PINSIGHT_CUDA_TO_DEVICE,
    PINSIGHT_CUDA_FROM_DEVICE,
    PINSIGHT_CUDA_ON_DEVICE, /* on one device or between two */
    PINSIGHT_CUDA_ELSEWHERE, /* in the host's memory, or unknown */
    PINSIGHT_CUDA_DIRECTIONS,
};

enum pinsight_cuda_type {
    PINSIGHT_CUDA_KERNEL,
    PINSIGHT_CUDA_COPY,
    PINSIGHT_CUDA_SET,
    PINSIGHT_CUDA_GRAPH, /* a whole graph without records of its nodes */
    PINSIGHT_CUDA_TYPES,
};

struct pinsight_cuda_function {
    uint32_t name;      /* string such as cudaMemcpyAsync */
    uint8_t role;       /* enum pinsight_cuda_role */
    bool waits_for_all; /* waits for a given stream, or for all of a context */
};

/* All calls of a function in a process by one Python call path, for the gradient of one
 * operation. */
struct pinsight_cuda_site {
    uint32_t process;  /* index */
    uint32_t function; /* index */
    uint32_t path;     /* see paths.h; PINSIGHT_NONE without one */
    /* in a backward pass: the path of the operation whose gradient it computes; or PINSIGHT_NONE */
    uint32_t forward;
    /* path is that of a thread that waited for the call's thread, see awaits.h */
    bool for_other;
    uint64_t calls; /* calls that returned */
    uint64_t open;  /* calls without an end */
    uint64_t failed;
    int32_t failure; /* the value of the last failure */
    uint64_t total_ns;
    uint64_t min_ns, max_ns;                     /* of one call; undefined while calls is 0 */
    uint64_t bytes[PINSIGHT_CUDA_DIRECTIONS];    /* bytes that calls request to copy */
    uint64_t works;                              /* pieces of devices' work for them */
    uint64_t device_ns;                          /* time of that work */
    uint64_t recorded[PINSIGHT_CUDA_DIRECTIONS]; /* bytes that devices copied for them */
    struct pinsight_monitored counted;           /* counted by MONITORING, in addition to `calls` */
};

/* A kind of work: a kernel, by its name; copying in one direction; setting; a graph. */
struct pinsight_cuda_work {
    uint32_t name;     /* string: a kernel's name, "memcpy host to device", "memset", "graph 3" */
    uint32_t shown;    /* string: the name on a screen */
    uint32_t same;     /* itself, or the kind that has the name that came later */
    uint8_t type;      /* enum pinsight_cuda_type */
    uint8_t direction; /* enum pinsight_cuda_direction */
    bool unnamed;      /* a kernel whose name is unknown (yet) */
    uint64_t count, total_ns;
    uint64_t min_ns, max_ns; /* of one piece; undefined while count is 0 */
    uint64_t bytes;
};

struct pinsight_cuda_held;

/* A stream of a device in a process. Its times are those that are passed on: work of one stream
 * does not overlap. */
struct pinsight_cuda_stream {
    struct pinsight_device_stream base;
    uint64_t count[PINSIGHT_CUDA_TYPES]; /* finished work */
    uint64_t busy_ns[PINSIGHT_CUDA_TYPES];
    uint64_t bytes[PINSIGHT_CUDA_DIRECTIONS]; /* copied bytes */
    uint64_t first_ns, last_ns;
    uint32_t device; /* index in the model; the number in `base` is the process's */
    uint64_t *begun; /* begins of the last PINSIGHT_CUDA_BEGUN pieces of work, a ring */
    uint64_t begun_count;
    struct pinsight_cuda_held *held; /* a heap, the earliest first */
    size_t held_count, held_capacity;
};

/* Times of devices that are impossible if the events' clock is right. */
struct pinsight_cuda_error {
    uint64_t checked, count, most_ns;
};

struct pinsight_cuda {
    struct pinsight_cuda_function *functions;
    size_t function_count, function_capacity;
    struct pinsight_cuda_site *sites;
    size_t site_count, site_capacity;
    struct pinsight_cuda_work *works;
    size_t work_count, work_capacity;
    struct pinsight_cuda_stream **streams;
    size_t stream_count, stream_capacity;
    struct pinsight_cuda_device *devices;
    size_t device_count, device_capacity;
    struct pinsight_cuda_device_info *device_infos;
    size_t device_info_count, device_info_capacity;
    struct pinsight_map device_map, device_info_map; /* see device.c; by process and number */
    struct pinsight_map function_map, work_map;
    struct pinsight_map kernel_map; /* from kernels' names in events to kinds of work */
    uint64_t names_left;            /* bytes left for demangled names of kernels */
    /* by path and process; by the first, function and forward */
    struct pinsight_map path_map, site_map;
    struct pinsight_map place_map,
        stream_map;            /* by process, device and context; by the first and the stream */
    uint32_t paths, places;    /* numbers of entries in these maps */
    uint64_t calls;            /* calls that returned */
    uint64_t unmatched_begins; /* calls that were closed by the end of another */
    uint64_t unmatched_ends;
    uint64_t records;       /* records of work */
    uint64_t without_call;  /* records whose call was not seen, or is not kept any more */
    uint64_t without_times; /* records without valid times, which are counted only here */
    uint64_t shortened;     /* records that are passed on with a later begin, see timeline.h */
    uint64_t shortened_ns;  /* the sum of these delays */
    uint64_t unanswered;    /* calls that request work, without a record */
    uint64_t captured;      /* such calls in a captured stream: devices did nothing */
    uint64_t
        awaited; /* calls without Python for which another thread's Python waited, see awaits.h */
    /* such calls for which several threads waited, so that the owner is unknown */
    uint64_t unclear;
    uint64_t waits; /* records of waiting */
    uint64_t waits_ns;
    uint64_t dropped;    /* records for which CUPTI had no room */
    uint64_t taken_over; /* how often another profiler took over CUPTI */
    uint64_t kept_back;  /* processes that ended before CUPTI had delivered all records */
    uint64_t clocks;     /* descriptions of a process's device clock */
    uint64_t calibrated; /* descriptions with a CUPTI clock that was compared with the trace's */
    struct pinsight_cuda_error early; /* work that began before it was requested */
    /* work that ended after the requesting thread had waited for it */
    struct pinsight_cuda_error late;
    uint64_t clock_error_ns; /* the largest difference of the two clocks */
};

struct pinsight_cuda_call {
    uint32_t function, path, forward;
    uint32_t context, stream;
    uint32_t correlation; /* 0: unknown */
    uint64_t bytes;
    uint8_t direction; /* enum pinsight_cuda_direction */
    struct pinsight_launch_shape shape;
};

/* A record of a stream's work. */
struct pinsight_cuda_record {
    uint32_t device, context, stream, correlation;
    uint64_t from_ns, to_ns;
    uint32_t work; /* kind of the work */
    uint64_t bytes;
    struct pinsight_launch_shape shape;
};

struct pinsight_cuda_process; /* the data of a process; see state.h */

READER_STATE(pinsight_model_cuda, struct pinsight_cuda, struct pinsight_model, CUDA)
READER_STATE(pinsight_process_cuda, struct pinsight_cuda_process, struct pinsight_process, CUDA)
/* Returns the model's CUDA. Makes it at the first call. */
struct pinsight_cuda *pinsight_cuda_of(struct pinsight_model *model);
void pinsight_cuda_free(struct pinsight_model *model);

uint32_t pinsight_cuda_function(struct pinsight_model *model, const char *name);
/* Returns a kind of work. Copying has one name for each of CUPTI's directions; `text` may then be
 * NULL. */
uint32_t pinsight_cuda_work(struct pinsight_model *model, enum pinsight_cuda_type type,
                            const char *text, enum pinsight_cuda_direction direction);

/* Returns the kind of work of a kernel by its number. If its kernel_info has not come yet, it gets
 * its name when it comes. */
uint32_t pinsight_cuda_kernel(struct pinsight_process *process, uint32_t number);
/* Takes a kernel_info event. */
void pinsight_cuda_kernel_info(struct pinsight_process *process, uint32_t number, const char *name);
/* Returns the kind of work of a whole graph, by its number. */
uint32_t pinsight_cuda_graph(struct pinsight_model *model, uint32_t number);

/* Adds calls that MONITORING counted in a thread. `name` is a function's, or a launched
 * kernel's. */
void pinsight_cuda_count(struct pinsight_process *process, const char *name,
                         const struct pinsight_monitored *counted);

/* Begin and end a call of a process's thread. */
void pinsight_cuda_begin(struct pinsight_thread *thread, struct pinsight_process *process,
                         const struct pinsight_cuda_call *call, uint64_t ns);
void pinsight_cuda_end(struct pinsight_thread *thread, uint32_t function, uint32_t correlation,
                       int32_t value, uint64_t ns);

/* Take a record of work, and of waiting. */
void pinsight_cuda_worked(struct pinsight_process *process,
                          const struct pinsight_cuda_record *record, uint64_t ns);
void pinsight_cuda_waited(struct pinsight_process *process, uint64_t from_ns, uint64_t to_ns);

/* Ends the open calls of a thread. Returns their number. */
uint64_t pinsight_cuda_close(struct pinsight_thread *thread, uint64_t ns);

/* Ends a process: passes on the records that are held back, and frees its calls. */
void pinsight_cuda_end_process(struct pinsight_process *process);

#endif

/* What CUDA did: calls of threads, and what the streams of devices did for them. Part of the model;
 * not thread-safe. All times are nanoseconds of the trace's clock.
 *
 * Work of a device is known by records (CUPTI's activity records) that come when a buffer of them
 * is handed over: after the call that caused it has returned, often in the order of the work of
 * each stream, but not always, and perhaps never. A record names its call by the correlation
 * number. Of calls without a record the last PINSIGHT_CUDA_WAITING are remembered in each process,
 * of calls with one (a graph has many) the last PINSIGHT_CUDA_MET. Of records the last
 * PINSIGHT_CUDA_HELD of each stream are held back, so that they can be put into the order of their
 * begins. */
#ifndef PINSIGHT_READER_CUDA_CUDA_H
#define PINSIGHT_READER_CUDA_CUDA_H

#include "reader/cuda/idle.h"
#include "reader/timeline.h"

#define PINSIGHT_CUDA_WAITING 262144
#define PINSIGHT_CUDA_MET 1024
#define PINSIGHT_CUDA_HELD 16384
/* So many pieces of work are seen to be asked for in a stream before one that is asked for. A power
 * of two. */
#define PINSIGHT_CUDA_BEGUN 1024
/* How deep calls may be within each other in one thread; what is deeper is not looked at. */
#define PINSIGHT_CUDA_DEEPEST 16
/* What stands for no stream in a record (CUPTI_SYNCHRONIZATION_INVALID_VALUE). */
#define PINSIGHT_CUDA_NO_STREAM UINT32_MAX

/* What a call is for. */
enum pinsight_cuda_role {
    PINSIGHT_CUDA_OTHER,    /* it asks a device for nothing, and waits for none */
    PINSIGHT_CUDA_LAUNCHES, /* a kernel or a graph */
    PINSIGHT_CUDA_COPIES,
    PINSIGHT_CUDA_SETS,
    PINSIGHT_CUDA_WAITS,          /* for a device, a stream or an event */
    PINSIGHT_CUDA_BEGINS_CAPTURE, /* of what is put into a stream from now on */
    PINSIGHT_CUDA_ENDS_CAPTURE,
};

enum pinsight_cuda_direction {
    PINSIGHT_CUDA_TO_DEVICE,
    PINSIGHT_CUDA_FROM_DEVICE,
    PINSIGHT_CUDA_ON_DEVICE, /* or between two of them */
    PINSIGHT_CUDA_ELSEWHERE, /* in the host's memory, or not known */
    PINSIGHT_CUDA_DIRECTIONS,
};

enum pinsight_cuda_type {
    PINSIGHT_CUDA_KERNEL,
    PINSIGHT_CUDA_COPY,
    PINSIGHT_CUDA_SET,
    PINSIGHT_CUDA_GRAPH, /* a whole graph, of whose nodes there are no records */
    PINSIGHT_CUDA_TYPES,
};

struct pinsight_cuda_function {
    uint32_t name;      /* string: cudaMemcpyAsync */
    uint8_t role;       /* enum pinsight_cuda_role */
    bool waits_for_all; /* that a stream, or all of a context, were given */
};

/* All calls of one function by one Python call path in a process, for the gradient of one
 * operation.
 */
struct pinsight_cuda_site {
    uint32_t process;  /* index */
    uint32_t function; /* index */
    uint32_t path;     /* see paths.h; or PINSIGHT_NONE */
    uint32_t forward;  /* of a backward pass: the path of the operation that it is the gradient of;
                          or PINSIGHT_NONE */
    bool for_other;    /* path is that of a thread that waited for the call's, see awaits.h */
    uint64_t calls;    /* that returned */
    uint64_t open;     /* whose end was not seen */
    uint64_t failed;
    int32_t failure; /* the last one's value */
    uint64_t total_ns;
    uint64_t min_ns, max_ns;                     /* of one call; not set while calls is 0 */
    uint64_t bytes[PINSIGHT_CUDA_DIRECTIONS];    /* that calls copy, as they say */
    uint64_t works;                              /* that devices did for them */
    uint64_t device_ns;                          /* and how long */
    uint64_t recorded[PINSIGHT_CUDA_DIRECTIONS]; /* bytes that devices copied for them */
    struct pinsight_monitored counted;           /* by MONITORING, beside `calls` */
};

/* A kind of work: a kernel, by its name; copying in one direction; setting; a graph. */
struct pinsight_cuda_work {
    uint32_t name;     /* string: the kernel's, "memcpy host to device", "memset", "graph 3" */
    uint32_t shown;    /* string: what a screen shows of it */
    uint32_t same;     /* itself; or the kind that it proved to be when its name came */
    uint8_t type;      /* enum pinsight_cuda_type */
    uint8_t direction; /* enum pinsight_cuda_direction */
    bool unnamed;      /* a kernel whose name is not known (yet) */
    uint64_t count, total_ns;
    uint64_t min_ns, max_ns; /* of one; not set while count is 0 */
    uint64_t bytes;
};

struct pinsight_cuda_held;

/* A stream of a device in a process. Its times are those that are told: work of one stream does not
 * overlap. */
struct pinsight_cuda_stream {
    struct pinsight_device_stream base;
    uint64_t count[PINSIGHT_CUDA_TYPES]; /* done */
    uint64_t busy_ns[PINSIGHT_CUDA_TYPES];
    uint64_t bytes[PINSIGHT_CUDA_DIRECTIONS]; /* copied */
    uint64_t first_ns, last_ns;
    uint32_t device; /* index among the model's; the number in `base` is the process's */
    uint64_t *begun; /* when the last PINSIGHT_CUDA_BEGUN pieces of work began, a ring */
    uint64_t begun_count;
    struct pinsight_cuda_held *held; /* a heap, the earliest first */
    size_t held_count, held_capacity;
};

/* Times of devices that cannot be, if the events' clock is right. */
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
    struct pinsight_map device_map, device_info_map; /* see device.c; process and number */
    struct pinsight_map function_map, work_map;
    struct pinsight_map kernel_map; /* from kernels' names as events have them to kinds of work */
    uint64_t names_left;            /* bytes that kernels' names may still come out as */
    struct pinsight_map path_map, site_map; /* path and process; that, function and forward */
    struct pinsight_map place_map,
        stream_map;            /* process, device and context; that and the stream */
    uint32_t paths, places;    /* in these maps */
    uint64_t calls;            /* that returned */
    uint64_t unmatched_begins; /* calls that were closed because another's end came */
    uint64_t unmatched_ends;
    uint64_t records;       /* of work */
    uint64_t without_call;  /* of them, those whose call was not seen, or is forgotten */
    uint64_t without_times; /* those that have none, or wrong ones: not counted but here */
    uint64_t shortened;     /* those told with a later begin, see timeline.h */
    uint64_t shortened_ns;  /* by so much together */
    uint64_t unanswered;    /* calls that ask a device for work, and no record of it came */
    uint64_t captured;      /* likewise while their stream was captured: devices did nothing */
    uint64_t
        awaited; /* calls without Python that another thread's Python waited for, see awaits.h */
    uint64_t unclear; /* likewise where several threads waited: whose they are is not known */
    uint64_t waits;   /* records of waiting */
    uint64_t waits_ns;
    uint64_t dropped;    /* records that CUPTI had no room for */
    uint64_t taken_over; /* times that another profiler took CUPTI from the recorder */
    uint64_t kept_back;  /* processes that ended before CUPTI had handed over all */
    uint64_t clocks;     /* times that a process said how its devices' times came about */
    uint64_t calibrated; /* of these, with a clock of CUPTI's that was compared with the trace's */
    struct pinsight_cuda_error early; /* work that began before it was asked for */
    struct pinsight_cuda_error late;  /* that ended after the thread that asked had waited for it */
    uint64_t clock_error_ns;          /* the most that the two were apart */
};

struct pinsight_cuda_call {
    uint32_t function, path, forward;
    uint32_t context, stream;
    uint32_t correlation; /* 0 where not known */
    uint64_t bytes;
    uint8_t direction; /* enum pinsight_cuda_direction */
    struct pinsight_launch_shape shape;
};

/* A record of what a stream did. */
struct pinsight_cuda_record {
    uint32_t device, context, stream, correlation;
    uint64_t from_ns, to_ns;
    uint32_t work; /* its kind */
    uint64_t bytes;
    struct pinsight_launch_shape shape;
};

struct pinsight_cuda_process; /* what is kept of a process; see state.h */

READER_STATE(pinsight_model_cuda, struct pinsight_cuda, struct pinsight_model, CUDA)
READER_STATE(pinsight_process_cuda, struct pinsight_cuda_process, struct pinsight_process, CUDA)
/* The model's CUDA, made at its first mention. */
struct pinsight_cuda *pinsight_cuda_of(struct pinsight_model *model);
void pinsight_cuda_free(struct pinsight_model *model);

uint32_t pinsight_cuda_function(struct pinsight_model *model, const char *name);
/* Copying is of one name for each direction as CUPTI tells them apart; `text` may be NULL. */
uint32_t pinsight_cuda_work(struct pinsight_model *model, enum pinsight_cuda_type type,
                            const char *text, enum pinsight_cuda_direction direction);

/* The kind of work that the kernel with a number is; one whose kernel_info did not come yet gets
 * its name when it does. */
uint32_t pinsight_cuda_kernel(struct pinsight_process *process, uint32_t number);
/* A kernel_info event. */
void pinsight_cuda_kernel_info(struct pinsight_process *process, uint32_t number, const char *name);
/* A whole graph, by its number. */
uint32_t pinsight_cuda_graph(struct pinsight_model *model, uint32_t number);

/* MONITORING counted calls in a thread; `name` is a function's, or for launches the kernel's. */
void pinsight_cuda_count(struct pinsight_process *process, const char *name,
                         const struct pinsight_monitored *counted);

/* A thread of a process begins a call, and ends it. */
void pinsight_cuda_begin(struct pinsight_thread *thread, struct pinsight_process *process,
                         const struct pinsight_cuda_call *call, uint64_t ns);
void pinsight_cuda_end(struct pinsight_thread *thread, uint32_t function, uint32_t correlation,
                       int32_t value, uint64_t ns);

/* A record arrives: of work, and of waiting. */
void pinsight_cuda_worked(struct pinsight_process *process,
                          const struct pinsight_cuda_record *record, uint64_t ns);
void pinsight_cuda_waited(struct pinsight_process *process, uint64_t from_ns, uint64_t to_ns);

/* Ends the calls that are open in a thread; returns how many. */
uint64_t pinsight_cuda_close(struct pinsight_thread *thread, uint64_t ns);

/* No more of a process: tells what is held back and forgets its calls. */
void pinsight_cuda_end_process(struct pinsight_process *process);

#endif

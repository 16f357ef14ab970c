/*
 * PInsight's public C API for views: a trace as slices in the order of time, with Python and native
 * work nested, and links between slices. `pinsight export` uses this API.
 *
 *     static int on_end(void *data, const struct pinsight_view_thread *thread,
 *                       const struct pinsight_view_slice *slice) {
 *         printf("%s %llu\n", slice->name, (unsigned long long)(slice->end_ns - slice->begin_ns));
 *         return 0;
 *     }
 *     struct pinsight_view view = {.size = sizeof(view), .end = on_end};
 *     struct pinsight_view_result result;
 *     if (pinsight_view_read("trace", &view, &result) != 0)
 *         fprintf(stderr, "%s\n", result.error);
 *
 * Link with libpinsight-view. Not thread-safe: a process reads one trace at a time. If memory runs
 * out, the process ends with a message.
 *
 * These rules hold for any trace, also for a damaged one. In each thread, times do not decrease.
 * Each begin has an end, and an end belongs to the innermost open slice. A view that sets `streams`
 * also gets the streams of devices, as threads. A trace has the records of a stream's work late.
 * Streams and threads therefore have no common order of time. Work of one stream does not overlap.
 * The memory in use depends on the number of open slices and of names, not on the length of the
 * trace. Times are nanoseconds of the trace's clock.
 */
#ifndef PINSIGHT_VIEW_H
#define PINSIGHT_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef PINSIGHT_API
#define PINSIGHT_API __attribute__((visibility("default")))
#endif

/* Later versions may add kinds. A view ignores unknown kinds. */
enum pinsight_view_kind {
    PINSIGHT_VIEW_FUNCTION = 0, /* a call of a Python function, or a generator's run to its yield */
    PINSIGHT_VIEW_C_CALL = 1,   /* a call from Python into C */
    PINSIGHT_VIEW_IMPORT = 2,
    PINSIGHT_VIEW_MARKED = 3, /* a region that the program marked: pinsight.region() */
    PINSIGHT_VIEW_REGION = 4, /* a parallel region of OpenMP, in the thread that starts it */
    PINSIGHT_VIEW_PART = 5,   /* a thread's part in a region */
    PINSIGHT_VIEW_TASK = 6,   /* an explicit task of OpenMP, while it runs */
    PINSIGHT_VIEW_WAIT = 7,   /* in OpenMP: a barrier, taskwait, lock, …; for the GIL or a lock */
    PINSIGHT_VIEW_MPI = 8,    /* a call of MPI */
    PINSIGHT_VIEW_CUDA = 9,   /* a call of CUDA */
    PINSIGHT_VIEW_WORK = 10,  /* work of a device's stream: a kernel, a copy */
    PINSIGHT_VIEW_CALL = 11,  /* a call of a further domain, whose word is the category */
    PINSIGHT_VIEW_GC = 12,    /* a collection of Python's garbage */
};

/* A thread with slices, or a stream of a device. Its names may become known after its first slice.
 */
struct pinsight_view_thread {
    uint32_t number; /* from 1, in the order of the first slices */
    uint32_t tid;    /* OS thread id; 0 for a stream */
    int64_t pid;
    int64_t python_thread; /* 0 is the main thread; -1 without Python */
    int32_t rank;          /* of MPI, -1 without a rank */
    const char *name;      /* "MainThread", "OpenMP thread 3", "GPU 0 stream 7" */
    const char *process;   /* "rank 2 (solver.py)" */
    bool is_stream;        /* then these are its library's numbers: */
    uint32_t device, context, stream;
};

/* Texts may contain any bytes, are never NULL, and live until the callback returns. */
struct pinsight_view_slice {
    const char *name;
    const char *category; /* "python", "mpi", "device": see docs/viewers.md */
    const char
        *file; /* the function's file, a C call's caller's file, or the file of the user's line
                  of native work (the innermost outside installed packages); "" unknown */
    const char *module; /* of a function or C callable; "" unknown */
    uint64_t begin_ns;
    uint64_t end_ns;      /* 0 in `begin` */
    uint64_t bytes;       /* sent by an MPI call; copied or set by a device or its calls */
    uint64_t out;         /* number of the first link that may leave the slice, or 0 */
    uint64_t in;          /* number of the link that arrives at its begin, or 0 */
    uint32_t outs;        /* count of numbers from `out` on */
    int32_t kind;         /* enum pinsight_view_kind */
    int32_t line;         /* in `file`, 0 unknown */
    int32_t peer;         /* of an MPI call: destination, root or source; less than 0 without */
    int32_t tag;          /* of an MPI call; less than 0 without */
    uint32_t depth;       /* open slices around it */
    bool resumed;         /* a generator or coroutine that continues: no new call */
    bool cut;             /* in `end`: the end is not in the trace */
    uint32_t correlation; /* of calls of a device and the work that they cause */
    uint32_t grid[3], block[3]; /* of a kernel and its launch, else 0 */
    uint32_t generator; /* number in the process of a generator or coroutine, in `end`; else 0 */
};

/* A link between two slices. It leads from a region to a thread's part in it, from an MPI call that
 * sends to the call that receives, or from a device's call to its work. All work of one call has
 * the same number. */
struct pinsight_view_link {
    uint64_t number; /* one of the `out` numbers of its first slice, if known there */
    uint64_t from_ns, to_ns;
    uint64_t bytes;
    uint32_t from, to; /* numbers of threads */
    bool message;
    bool launch;
};

/* The functions of a view; NULL functions are not called. A function that does not return 0 ends
 * the reading. */
struct pinsight_view {
    size_t size; /* sizeof(struct pinsight_view), so that later versions can add to it */
    void *data;  /* passed to each function */
    int (*begin)(void *data, const struct pinsight_view_thread *thread,
                 const struct pinsight_view_slice *slice);
    int (*end)(void *data, const struct pinsight_view_thread *thread,
               const struct pinsight_view_slice *slice);
    int (*link)(void *data, const struct pinsight_view_link *link);
    int (*mark)(void *data, const struct pinsight_view_thread *thread, const char *name,
                uint64_t ns);
    bool streams; /* also give streams of devices, and links to their work */
};

struct pinsight_view_result {
    uint64_t events;    /* read */
    uint64_t discarded; /* events that are not in the trace, because buffers were full */
    uint32_t damages;   /* damaged parts; the rest was read */
    char error[512];    /* the error and its cure; the first damage if 0 is returned */
};

/* Reads the trace in a folder that `pinsight run` wrote, and calls the view's functions. Returns 0,
 * also if a function ended the reading. Returns -1 and sets result->error if nothing could be read.
 */
PINSIGHT_API int pinsight_view_read(const char *trace, const struct pinsight_view *view,
                                    struct pinsight_view_result *result);

#ifdef __cplusplus
}
#endif

#endif

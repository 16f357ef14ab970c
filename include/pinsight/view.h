/*
 * PInsight's public C API for views: a trace as slices, in the order of time, Python and native
 * work nested in each other, with links between them. It is what `pinsight export` is made of.
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
 * Link with libpinsight-view. Not thread-safe: one reading at a time in a process. Where memory is
 * short the process ends with a message.
 *
 * Whatever the trace is like, in each thread times do not run back, each begin has its end, and an
 * end is that of the innermost open slice. Streams of devices are told like threads to a view that
 * asks for them; what they did is told when the trace has the record of it, which is late: between
 * them and others there is no order of time, and work of one stream does not overlap. Memory is
 * taken for what is open and for names, not for the length of the trace. Times are nanoseconds of
 * the trace's clock.
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

/* Later versions may add kinds; a view passes over those that it does not know. */
enum pinsight_view_kind {
    PINSIGHT_VIEW_FUNCTION = 0, /* a call of a Python function, or a generator's run to its yield */
    PINSIGHT_VIEW_C_CALL = 1,   /* a call from Python into C */
    PINSIGHT_VIEW_IMPORT = 2,
    PINSIGHT_VIEW_MARKED = 3, /* what the program marked itself: pinsight.region() */
    PINSIGHT_VIEW_REGION = 4, /* a parallel region of OpenMP, in the thread that starts it */
    PINSIGHT_VIEW_PART = 5,   /* a thread's part in a region */
    PINSIGHT_VIEW_TASK = 6,   /* an explicit task of OpenMP, while it runs */
    PINSIGHT_VIEW_WAIT = 7,   /* in OpenMP: a barrier, taskwait, lock, … */
    PINSIGHT_VIEW_MPI = 8,    /* a call of MPI */
    PINSIGHT_VIEW_CUDA = 9,   /* a call of CUDA */
    PINSIGHT_VIEW_WORK = 10,  /* what a stream of a device does: a kernel, a copy */
};

/* A thread with slices, or a stream of a device. Its names may become known later than its first
 * slice. */
struct pinsight_view_thread {
    uint32_t number; /* from 1, in the order of the first slices */
    uint32_t tid;    /* OS thread id; 0 of a stream */
    int64_t pid;
    int64_t python_thread; /* 0 is the main thread; -1 without Python */
    int32_t rank;          /* of MPI, -1 without */
    const char *name;      /* "MainThread", "OpenMP thread 3", "GPU 0 stream 7" */
    const char *process;   /* "rank 2 (solver.py)" */
    bool is_stream;        /* then these say which, as CUDA numbers them in the process: */
    uint32_t device, context, stream;
};

/* Texts are any bytes, never NULL, and live until the callback returns. */
struct pinsight_view_slice {
    const char *name;
    const char *category; /* python, c, import, region, openmp, wait, mpi, cuda, device */
    const char *file; /* of a function its own, of a C call its caller's, of native work that of the
                         user's line: the innermost outside installed packages; "" unknown */
    const char *module; /* of a function or C callable; "" unknown */
    uint64_t begin_ns;
    uint64_t end_ns;      /* 0 in `begin` */
    uint64_t bytes;       /* that an MPI call sends; that a CUDA call or a device copies or sets */
    uint64_t out;         /* the first number of the links that may leave it, 0 without */
    uint64_t in;          /* of the link that arrives at its begin, 0 without */
    uint32_t outs;        /* numbers from `out` on */
    int32_t kind;         /* enum pinsight_view_kind */
    int32_t line;         /* in `file`, 0 unknown */
    int32_t peer;         /* of an MPI call: destination, root or source; less than 0 without */
    int32_t tag;          /* likewise */
    uint32_t depth;       /* open slices around it */
    bool resumed;         /* of a function: a generator or coroutine that goes on; no new call */
    bool cut;             /* in `end`: the end is not in the trace */
    uint32_t correlation; /* of CUDA's calls and the work that they cause; 0 without */
    uint32_t grid[3], block[3]; /* of a kernel and its launch, else 0 */
};

/* From a region to a thread's part in it; from an MPI call that sends to the one that received;
 * from a CUDA call to work of a stream, which follows (all work of one call has one number). */
struct pinsight_view_link {
    uint64_t
        number; /* among those of the slice that it leaves, where that was known at its begin */
    uint64_t from_ns, to_ns;
    uint64_t bytes;
    uint32_t from, to; /* numbers of threads */
    bool message;
    bool launch;
};

/* A view's functions; those that are NULL are not called. Another value than 0 ends the reading. */
struct pinsight_view {
    size_t size; /* sizeof(struct pinsight_view), so that later versions can add to it */
    void *data;  /* handed on to each */
    int (*begin)(void *data, const struct pinsight_view_thread *thread,
                 const struct pinsight_view_slice *slice);
    int (*end)(void *data, const struct pinsight_view_thread *thread,
               const struct pinsight_view_slice *slice);
    int (*link)(void *data, const struct pinsight_view_link *link);
    int (*mark)(void *data, const struct pinsight_view_thread *thread, const char *name,
                uint64_t ns);
    bool streams; /* tell of streams of devices, and links to their work, too */
};

struct pinsight_view_result {
    uint64_t events;    /* read */
    uint64_t discarded; /* that are not in the trace, because buffers were full */
    uint32_t damages;   /* things in the trace that are damaged; what could be read was */
    char error[512];    /* what is wrong, and the cure; the first damage where 0 is returned */
};

/* Reads the trace in a folder, that which `pinsight run` wrote, and calls the view. Returns 0, also
 * where a callback ended it; -1 where nothing could be read, with result->error set. */
PINSIGHT_API int pinsight_view_read(const char *trace, const struct pinsight_view *view,
                                    struct pinsight_view_result *result);

#ifdef __cplusplus
}
#endif

#endif

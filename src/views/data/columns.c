/* The tables of a trace as data; see columns.h. */
#include "views/data/columns.h"

#define COLUMN(of_type, of_name, of_unit, text)                                                    \
    { .name = of_name, .unit = of_unit, .about = text, .type = PINSIGHT_DATA_##of_type }
#define FIELD(of_field, of_type, of_name, of_unit, text)                                           \
    {                                                                                              \
        .name = of_name, .unit = of_unit, .about = text, .type = PINSIGHT_DATA_##of_type,          \
        .field = PINSIGHT_FIELD_##of_field                                                         \
    }
#define TABLE(of_name, list, by, text)                                                             \
    {                                                                                              \
        .name = of_name, .about = text, .columns = list,                                           \
        .column_count = sizeof(list) / sizeof((list)[0]), .filters = by                            \
    }

#define PROCESS_TEXT "number of the process in the trace, as in `processes`"
#define RANK_TEXT "rank of MPI, -1 without a rank"
#define PID_TEXT "process id; several hosts may have the same"
#define TID_TEXT "thread id of the system; 0 for a device's stream"
#define PYTHON_THREAD_TEXT "Python's thread, 0 is the main thread, -1 without Python"
#define CLOCK_TEXT " in the trace's clock, which counts from 1970"

/* The columns that name the thread of a slice. */
#define WHO                                                                                        \
    FIELD(PROCESS, I32, "process", "", PROCESS_TEXT), FIELD(RANK, I32, "rank", "", RANK_TEXT),     \
        FIELD(PID, I64, "pid", "", PID_TEXT), FIELD(TID, I32, "tid", "", TID_TEXT),                \
        FIELD(PYTHON_THREAD, I32, "python_thread", "", PYTHON_THREAD_TEXT)
#define WHEN                                                                                       \
    FIELD(BEGIN, I64, "begin_ns", "ns", "begin" CLOCK_TEXT),                                       \
        FIELD(DURATION, I64, "duration_ns", "ns", "time from begin to end, with inner slices")
#define DEPTH FIELD(DEPTH, I32, "depth", "", "number of open slices around it")
#define CUT FIELD(CUT, BOOL, "cut", "", "the trace lacks its end, and a later event ended it")
#define PLACE                                                                                      \
    FIELD(FILE, TEXT, "file", "", "file of a function's definition, or of the line that called"),  \
        FIELD(LINE, I32, "line", "", "line in `file`, 0 if unknown")
#define SELF FIELD(SELF, I64, "self_ns", "ns", "time without inner slices and without pauses")
#define WORK_OF_DEVICE                                                                             \
    FIELD(DEVICE, I32, "device", "", "number of the device, -1 for a thread"),                     \
        FIELD(CONTEXT, I32, "context", "", "number of the device's context, -1 for a thread"),     \
        FIELD(STREAM, I32, "stream", "", "number of the device's stream, -1 for a thread"),        \
        FIELD(CORRELATION, I64, "correlation", "",                                                 \
              "relates a device's call and its work in a process; 0 without")

static const struct pinsight_data_column functions[] = {
    COLUMN(TEXT, "kind", "", "`function` for a Python function, `c_call` for a C callable"),
    COLUMN(TEXT, "function", "", "qualified name"),
    COLUMN(TEXT, "module", "", "module, empty if unknown"),
    COLUMN(TEXT, "file", "", "file of the definition; of a C callable, the caller's file"),
    COLUMN(I32, "line", "", "first line; of a C callable, the calling line; 0 if unknown"),
    COLUMN(TEXT, "caller", "", "function that calls a C callable, else empty"),
    COLUMN(I64, "calls", "", "number of calls"),
    COLUMN(I64, "total_ns", "ns", "time with inner calls; a recursion counts once"),
    COLUMN(I64, "self_ns", "ns", "time without inner calls"),
    COLUMN(I64, "min_ns", "ns", "shortest call, 0 if only counted"),
    COLUMN(I64, "max_ns", "ns", "longest call, 0 if unknown"),
};

static const struct pinsight_data_column calls[] = {
    WHO,
    DEPTH,
    FIELD(CATEGORY, TEXT, "kind", "",
          "`python`, `c`, `import`, or the category of a call of a native domain, such as `mpi`"),
    FIELD(NAME, TEXT, "function", "", "name of the function, or of the imported module"),
    FIELD(MODULE, TEXT, "module", "", "module, empty if unknown"),
    PLACE,
    WHEN,
    SELF,
    FIELD(RESUMED, BOOL, "resumed", "", "a generator that continues, and no new call"),
    CUT,
};

static const struct pinsight_data_column threads[] = {
    COLUMN(I32, "process", "", PROCESS_TEXT),
    COLUMN(I32, "rank", "", RANK_TEXT),
    COLUMN(I64, "pid", "", PID_TEXT),
    COLUMN(I32, "tid", "", "last thread id of the system, 0 if unknown"),
    COLUMN(I32, "python_thread", "", PYTHON_THREAD_TEXT),
    COLUMN(TEXT, "name", "", "name of the thread"),
    COLUMN(I64, "calls", "", "calls of Python functions"),
    COLUMN(I64, "c_calls", "", "calls from Python into C"),
    COLUMN(I64, "busy_ns", "ns", "time in which a call was open"),
    COLUMN(I64, "self_ns", "ns", "time in Python functions"),
    COLUMN(I64, "c_self_ns", "ns", "time in C callables"),
    COLUMN(I64, "begin_ns", "ns", "first event" CLOCK_TEXT),
    COLUMN(I64, "end_ns", "ns", "last event" CLOCK_TEXT),
};

static const struct pinsight_data_column processes[] = {
    COLUMN(I32, "process", "", "number of the process in the trace, from 0"),
    COLUMN(I32, "rank", "", RANK_TEXT),
    COLUMN(I64, "pid", "", PID_TEXT),
    COLUMN(I64, "ppid", "", "process id of its parent, -1 if unknown"),
    COLUMN(TEXT, "name", "", "its rank, and its script, module or program"),
    COLUMN(TEXT, "hostname", "", "host, empty if unknown"),
    COLUMN(TEXT, "program", "", "program that it executes"),
    COLUMN(TEXT, "command", "", "its command line"),
    COLUMN(I64, "events", "", "recorded events of functions, C calls and regions"),
    COLUMN(I64, "begin_ns", "ns", "first event" CLOCK_TEXT),
    COLUMN(I64, "end_ns", "ns", "last event" CLOCK_TEXT),
};

static const struct pinsight_data_column messages[] = {
    COLUMN(I32, "from_process", "", "process that sends, as in `processes`"),
    COLUMN(I32, "from_rank", "", "rank that sends"),
    COLUMN(I32, "from_tid", "", "thread that sends"),
    COLUMN(I32, "to_process", "", "process that receives"),
    COLUMN(I32, "to_rank", "", "rank that receives"),
    COLUMN(I32, "to_tid", "", "thread that receives"),
    COLUMN(I64, "sent_ns", "ns", "begin of the call that sends," CLOCK_TEXT),
    COLUMN(I64, "received_ns", "ns", "time at which the message was received," CLOCK_TEXT),
    COLUMN(I64, "bytes", "bytes", "size of the message"),
};

static const struct pinsight_data_column context_tree[] = {
    COLUMN(I32, "node", "", "number of the node, from 0; parents precede their children"),
    COLUMN(I32, "parent", "", "number of the caller's node, -1 for a root"),
    COLUMN(I32, "process", "", PROCESS_TEXT ", -1 if unknown"),
    COLUMN(I32, "rank", "", RANK_TEXT),
    COLUMN(TEXT, "kind", "", "`root`, or a category as in `slices`"),
    COLUMN(TEXT, "function", "", "name of what runs; of a root, its process"),
    COLUMN(TEXT, "file", "", "file of a function's definition, else empty"),
    COLUMN(I32, "line", "", "first line of a function, 0 if unknown"),
    COLUMN(I64, "calls", "", "number of calls from this parent"),
    COLUMN(I64, "self_ns", "ns", "time of the node itself"),
    COLUMN(I64, "total_ns", "ns", "`self_ns` with all nodes beneath it, without `beside` ones"),
    COLUMN(BOOL, "beside", "", "runs in another thread, beside its parent's time"),
};

#define CATEGORY_AND_NAME(category)                                                                \
    FIELD(CATEGORY, TEXT, "category", "", category), FIELD(NAME, TEXT, "name", "", "its name")

static const struct pinsight_data_column slices[] = {
    WHO,
    DEPTH,
    CATEGORY_AND_NAME("[as in viewers](viewers.md#content-of-a-timeline)"),
    FIELD(MODULE, TEXT, "module", "", "module, empty if unknown"),
    PLACE,
    WHEN,
    SELF,
    FIELD(BYTES, I64, "bytes", "bytes", "sent by a call of MPI; copied or set by a device"),
    FIELD(PEER, I32, "peer", "", "of a call of MPI: destination, root or source; else negative"),
    FIELD(TAG, I32, "tag", "", "of a call of MPI; else negative"),
    WORK_OF_DEVICE,
    FIELD(GENERATOR, I64, "generator", "", "number of the generator that runs, 0 without"),
    FIELD(RESUMED, BOOL, "resumed", "", "a generator that continues, and no new call"),
    CUT,
};

static const struct pinsight_data_column lines[] = {
    COLUMN(TEXT, "function", "", "your function that calls, empty if unknown"),
    COLUMN(TEXT, "file", "", "its file"),
    COLUMN(I32, "line", "", "line of the call, 0 if unknown"),
    COLUMN(TEXT, "kind", "", "`function` for a Python function, `c_call` for a C callable"),
    COLUMN(TEXT, "callee", "", "function or C callable that the line calls"),
    COLUMN(TEXT, "callee_file", "", "file of a Python function, else empty"),
    COLUMN(I32, "callee_line", "", "first line of a Python function, 0 if unknown"),
    COLUMN(I64, "calls", "", "number of calls"),
    COLUMN(I64, "total_ns", "ns", "time of these calls, from begin to end"),
    COLUMN(I64, "own_ns", "ns", "part of `total_ns` outside other functions of yours"),
    COLUMN(I64, "native_ns", "ns", "part of `own_ns` in native work"),
};

static const struct pinsight_data_column regions[] = {
    WHO,
    DEPTH,
    CATEGORY_AND_NAME(
        "`region` for one that the program marked, `openmp` for OpenMP's and the threads' parts"),
    PLACE,
    WHEN,
    SELF,
    CUT,
};

static const struct pinsight_data_column waits[] = {
    WHO,
    DEPTH,
    CATEGORY_AND_NAME("`gil` with a row for each holder, `lock`, or `wait` for OpenMP"),
    PLACE,
    WHEN,
    SELF,
    CUT,
};

static const struct pinsight_data_column tasks[] = {
    FIELD(PROCESS, I32, "process", "", PROCESS_TEXT),
    FIELD(RANK, I32, "rank", "", RANK_TEXT),
    FIELD(PID, I64, "pid", "", PID_TEXT),
    FIELD(TASK, I32, "task", "", "number of the task in the process"),
    FIELD(TASK_NAME, TEXT, "task_name", "", "name of the task"),
    FIELD(CATEGORY, TEXT, "state", "", "`task` while it runs, `await`, or `ready`"),
    FIELD(NAME, TEXT, "function", "", "coroutine that runs, or function that waits"),
    PLACE,
    WHEN,
};

static const struct pinsight_data_column kernels[] = {
    FIELD(PROCESS, I32, "process", "", PROCESS_TEXT),
    FIELD(RANK, I32, "rank", "", RANK_TEXT),
    FIELD(PID, I64, "pid", "", PID_TEXT),
    WORK_OF_DEVICE,
    FIELD(NAME, TEXT, "name", "", "kernel, or the kind of a copy"),
    FIELD(FILE, TEXT, "file", "", "file of your line that caused it, empty if unknown"),
    FIELD(LINE, I32, "line", "", "that line, 0 if unknown"),
    WHEN,
    FIELD(BYTES, I64, "bytes", "bytes", "copied or set"),
    FIELD(GRID_X, I32, "grid_x", "", "blocks of the grid, 0 for other work"),
    FIELD(GRID_Y, I32, "grid_y", "", "blocks of the grid"),
    FIELD(GRID_Z, I32, "grid_z", "", "blocks of the grid"),
    FIELD(BLOCK_X, I32, "block_x", "", "threads of a block"),
    FIELD(BLOCK_Y, I32, "block_y", "", "threads of a block"),
    FIELD(BLOCK_Z, I32, "block_z", "", "threads of a block"),
};

static const struct pinsight_data_column marks[] = {
    COLUMN(I32, "process", "", PROCESS_TEXT),
    COLUMN(I32, "rank", "", RANK_TEXT),
    COLUMN(I64, "pid", "", PID_TEXT),
    COLUMN(I32, "tid", "", TID_TEXT),
    COLUMN(I32, "python_thread", "", PYTHON_THREAD_TEXT),
    COLUMN(TEXT, "name", "", "name that the program gave"),
    COLUMN(I64, "at_ns", "ns", "time" CLOCK_TEXT),
};

static const struct pinsight_data_column memory[] = {
    COLUMN(I32, "process", "", PROCESS_TEXT),
    COLUMN(I32, "rank", "", RANK_TEXT),
    COLUMN(I64, "pid", "", PID_TEXT),
    COLUMN(I64, "resident_bytes", "bytes", "memory of the process that is not swapped out"),
    COLUMN(I64, "at_ns", "ns", "time" CLOCK_TEXT),
};

#define SUMS (PINSIGHT_DATA_BY_RANK | PINSIGHT_DATA_BY_THREAD)
#define ROWS (PINSIGHT_DATA_BY_TIME | SUMS)
#define ALL (ROWS | PINSIGHT_DATA_BY_FUNCTION)

const struct pinsight_data_table pinsight_data_tables[PINSIGHT_DATA_TABLES] = {
    [PINSIGHT_DATA_FUNCTIONS] =
        TABLE("functions", functions, SUMS | PINSIGHT_DATA_BY_FUNCTION,
              "Python functions, and C callables by the line that calls them, with their sums. The "
              "rows are those of `pinsight report`."),
    [PINSIGHT_DATA_CALLS] = TABLE("calls", calls, ALL,
                                  "Each call: of a Python function, from Python into C, an import, "
                                  "and each call of a native domain."),
    [PINSIGHT_DATA_THREADS] = TABLE("threads", threads, SUMS, "Threads with their sums."),
    [PINSIGHT_DATA_PROCESSES] = TABLE("processes", processes, PINSIGHT_DATA_BY_RANK, "Processes."),
    [PINSIGHT_DATA_MESSAGES] =
        TABLE("messages", messages, PINSIGHT_DATA_BY_TIME | PINSIGHT_DATA_BY_RANK,
              "Messages of MPI, from the call that sends to the call that receives. `rank` selects "
              "messages that it sends or receives."),
    [PINSIGHT_DATA_CONTEXT_TREE] =
        TABLE("context_tree", context_tree, 0,
              "Calling contexts: each distinct path of calls, by process. Work of devices has "
              "roots of its own."),
    [PINSIGHT_DATA_SLICES] =
        TABLE("slices", slices, ALL,
              "Everything that has a begin and an end, as `pinsight export --to csv` writes it."),
    [PINSIGHT_DATA_LINES] =
        TABLE("lines", lines, SUMS,
              "Lines of your functions, with each function and C callable that they call. The rows "
              "are the `calls` of `pinsight report --links --format json`."),
    [PINSIGHT_DATA_REGIONS] =
        TABLE("regions", regions, ALL,
              "Regions that the program marked, parallel regions of OpenMP, and the threads' parts "
              "in them."),
    [PINSIGHT_DATA_WAITS] =
        TABLE("waits", waits, ALL, "Waits for the GIL, for locks, and in OpenMP."),
    [PINSIGHT_DATA_TASKS] = TABLE(
        "tasks", tasks, PINSIGHT_DATA_BY_TIME | PINSIGHT_DATA_BY_RANK | PINSIGHT_DATA_BY_FUNCTION,
        "What tasks of asyncio and trio, and greenlets, did: the first 1,000 tasks."),
    [PINSIGHT_DATA_KERNELS] =
        TABLE("kernels", kernels,
              PINSIGHT_DATA_BY_TIME | PINSIGHT_DATA_BY_RANK | PINSIGHT_DATA_BY_FUNCTION,
              "Work in streams of devices: kernels, copies, and settings of memory."),
    [PINSIGHT_DATA_MARKS] = TABLE("marks", marks, ROWS, "Points in time that the program marked."),
    [PINSIGHT_DATA_MEMORY] =
        TABLE("memory", memory, PINSIGHT_DATA_BY_TIME | PINSIGHT_DATA_BY_RANK,
              "Readings of the [resident memory](memory.md#resident-memory) of each process, at "
              "most every 20 ms."),
};

_Static_assert(sizeof(slices) / sizeof(slices[0]) <= PINSIGHT_DATA_MOST_COLUMNS,
               "a message has room for all columns");

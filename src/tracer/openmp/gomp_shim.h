/*
 * The interface between the domain and the preloaded trampolines for GCC's OpenMP
 * (src/tracer/preload/gomp). Both come from the same build and the same folder.
 */
#ifndef PINSIGHT_OPENMP_GOMP_SHIM_H
#define PINSIGHT_OPENMP_GOMP_SHIM_H

/* Numbers of the functions that have a trampoline. */
enum pinsight_gomp_function {
#define OUTLINED(name) PINSIGHT_##name,
#define CALL(name) PINSIGHT_##name,
#include "tracer/openmp/gomp_functions.def"
    PINSIGHT_GOMP_FUNCTIONS
};

/* A libgomp in the process. It is never freed, even if the library is closed. */
struct pinsight_gomp_runtime {
    const void *_Atomic base;            /* an address in the library; NULL if it was closed */
    bool has_tools;                      /* the library is LLVM's, which calls OMPT's tools */
    void *next[PINSIGHT_GOMP_FUNCTIONS]; /* NULL if the library lacks the function */
    /* Functions omp_get_...() for the calling thread. */
    int (*get_num_threads)(void), (*get_thread_num)(void), (*get_max_threads)(void);
    int (*get_num_teams)(void), (*get_team_num)(void), (*get_level)(void);
    int (*in_final)(void); /* omp_in_final */
};

struct pinsight_gomp_shim {
    const char *name; /* file name of the first libgomp in the process */
    /* The libgomp of all callers; NULL if the caller decides. */
    struct pinsight_gomp_runtime *const _Atomic *global;
    /*
     * Returns the libgomp of a caller. The object that contains `outlined` decides, a function that
     * the caller passes, or else the object that contains the address `caller`. Returns NULL if the
     * process has no libgomp. Any thread.
     */
    const struct pinsight_gomp_runtime *(*find)(const void *caller, const void *outlined);
    /* Returns the calling thread's place for the libgomp of the code that runs. Code that libgomp
     * calls, and that then calls libgomp by a jump, cannot be found by its address. */
    const struct pinsight_gomp_runtime **(*current)(void);
    /* Redirects calls to the wrappers, and to the library if a wrapper is NULL. A watched
     * function's wrapper is called before the function, as void (long first, const void *codeptr).
     * Calls must not overlap. */
    void (*redirect)(void *const wrappers[PINSIGHT_GOMP_FUNCTIONS]);
};

/* Exported by libpinsight.so. Called once, before the first call of a libgomp continues. `shim` is
 * static. */
typedef void (*pinsight_gomp_start_function)(const struct pinsight_gomp_shim *shim);
#define PINSIGHT_GOMP_START "pinsight_gomp_start"

#endif

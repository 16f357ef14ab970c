/*
 * What the preloaded trampolines before GCC's OpenMP (src/preload/gomp) and the domain tell each
 * other. The two are built together, and found beside each other.
 */
#ifndef PINSIGHT_OPENMP_GOMP_SHIM_H
#define PINSIGHT_OPENMP_GOMP_SHIM_H

/* The functions that have a trampoline, by number. */
enum pinsight_gomp_function {
#define OUTLINED(name) PINSIGHT_##name,
#define CALL(name) PINSIGHT_##name,
#include "domains/openmp/gomp_functions.def"
    PINSIGHT_GOMP_FUNCTIONS
};

/* A libgomp of the process. Never freed, even if the library is closed. */
struct pinsight_gomp_runtime {
    const void *_Atomic base;            /* an address in the library; NULL: it was closed */
    bool has_tools;                      /* it is LLVM's, which tells tools what it does */
    void *next[PINSIGHT_GOMP_FUNCTIONS]; /* NULL: it lacks the function */
    /* omp_get_..., of the calling thread */
    int (*get_num_threads)(void), (*get_thread_num)(void), (*get_max_threads)(void);
    int (*get_num_teams)(void), (*get_team_num)(void), (*get_level)(void);
    int (*in_final)(void); /* omp_in_final */
};

struct pinsight_gomp_shim {
    const char *name; /* the file name of the first libgomp that was met */
    /*
     * The libgomp of a caller: by the object of `outlined`, a function that the caller passes, or
     * NULL; else by that of the address `caller`. NULL: the process has none. Any thread.
     */
    const struct pinsight_gomp_runtime *(*find)(const void *caller, const void *outlined);
    /* The libgomp that code belongs to which is called by libgomp, and then calls it with a jump;
     * of the calling thread. */
    const struct pinsight_gomp_runtime **(*current)(void);
    /* Calls go to these from now on, and to the library where one is NULL. That of a function that
     * is watched is called before it, as void (long first, const void *codeptr). Calls of this are
     * serialised by the caller. */
    void (*redirect)(void *const wrappers[PINSIGHT_GOMP_FUNCTIONS]);
};

/* Exported by libpinsight.so. Called once, before the first call of a libgomp goes on. `shim` is
 * static. */
typedef void (*pinsight_gomp_start_function)(const struct pinsight_gomp_shim *shim);
#define PINSIGHT_GOMP_START "pinsight_gomp_start"

#endif

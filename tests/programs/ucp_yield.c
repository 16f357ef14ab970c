/*
 * A library to preload: MPICH's ranks on UCX let others run while they wait, as Open MPI's do when
 * told to.
 *
 * Without it a rank that waits keeps its processor until the scheduler takes it, so that more ranks
 * than processors need a time slice for each message. Results are the same.
 */
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void *worker) {
    static unsigned (*real)(void *);
    unsigned done;

    if (!real)
        real = (unsigned (*)(void *))dlsym(dlopen("libucp.so.0", RTLD_NOW | RTLD_NOLOAD),
                                           "ucp_worker_progress");
    done = real(worker);
    if (!done)
        sched_yield();
    return done;
}

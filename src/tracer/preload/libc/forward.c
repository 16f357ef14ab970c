/* The targets of the functions that this library replaces. */
#include "forward.h"

#include "libc.h"

#include <dlfcn.h>
#include <errno.h>

#define NAME(name) #name,
static const char *const names[TARGETS] = {PINSIGHT_FORK_FUNCTIONS(NAME) PINSIGHT_FD_FUNCTIONS(NAME)
                                               PINSIGHT_OWN_FUNCTIONS(NAME)};

void *_Atomic pinsight_targets[TARGETS];

void *pinsight_find_next(enum pinsight_target target) {
    void *next = dlsym(RTLD_NEXT, names[target]);
    if (!next && (target == TO_forkpty || target == TO_pthread_create)) {
        /* glibc before 2.34 has these in libraries of their own. A caller of pthread_create() has
         * loaded its library. */
        void *library = target == TO_forkpty ? dlopen("libutil.so.1", RTLD_LAZY | RTLD_LOCAL)
                                             : dlopen("libpthread.so.0", RTLD_LAZY | RTLD_NOLOAD);
        next = library ? dlsym(library, names[target]) : NULL;
    }
    if (!next) {
        errno = ENOSYS;
        return NULL;
    }
    /* A target that another thread has stored meanwhile is at least as good. */
    void *expected = NULL;
    atomic_compare_exchange_strong(&pinsight_targets[target], &expected, next);
    return atomic_load_explicit(&pinsight_targets[target], memory_order_acquire);
}

void pinsight_redirect_into(void *library, enum pinsight_target first, enum pinsight_target last) {
    for (enum pinsight_target target = first; target <= last; target++) {
        void *function = dlsym(library, names[target]);
        if (function) {
            atomic_store_explicit(&pinsight_targets[target], function, memory_order_release);
        }
    }
}

void pinsight_forward_ready(void) {
    pinsight_find_next(TO_fork);
    pinsight_find_next(TO_close);
    pinsight_find_next(TO_setuid);
    pinsight_find_next(TO_setgid);
    pinsight_find_next(TO_chroot);
    pinsight_find_next(TO_setgroups);
    pinsight_find_next(TO_backtrace); /* crash handlers call it */
    pinsight_find_next(TO_execve);
    pinsight_find_next(TO_execvpe);
    pinsight_find_next(TO_fexecve);
}

/* Work with files where the process has no descriptor left; see beside.h. */
#include "record/file/beside.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STACK_BYTES = 32 << 10, OWN_FROM = 3, OWN_MOST = 64 };

struct task {
    int (*work)(void *data);
    void *data;
    int result;
};

static int in_child(void *data) {
    struct task *task = data;
#ifdef SYS_close_range
    if (syscall(SYS_close_range, OWN_FROM, ~0u, 0) != 0)
#endif
        for (int fd = OWN_FROM; fd < OWN_MOST; fd++)
            close(fd);
    task->result = task->work(task->data);
    _exit(0);
}

int pinsight_file_work(int (*work)(void *data), void *data) {
    int error = work(data);
    if (error != EMFILE)
        return error;

    _Alignas(16) char stack[STACK_BYTES]; /* clone(2): the child's, while this thread waits */
    struct task task = {work, data, error};
    sigset_t all, before;
    /* A handler must not run in the child. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    /* Without a signal at its end: neither SIGCHLD nor the program's wait() tells of it. */
    pid_t child = clone(in_child, stack + sizeof stack, CLONE_VM | CLONE_VFORK, &task);
    if (child > 0)
        while (waitpid(child, NULL, __WCLONE) < 0 && errno == EINTR)
            continue;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return child > 0 ? task.result : error;
}

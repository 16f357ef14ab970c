/*
 * execve() and the related functions, which add the variables of the run (environ.c).
 *
 * Programs call these after fork() in a process that had threads, and after vfork(). The functions
 * here allocate nothing and take no lock, except for a list of variables that is too long for a
 * stack. Programs that libc itself executes (system(), popen()) inherit the environment of the
 * process.
 */
#include "environ.h"
#include "forward.h"
#include "libc.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Threads may have small stacks. */
enum { ON_STACK_MAX = 8192 };

/* Memory for long lists. A child of vfork() cannot free it after an exec, so the next child of the
 * same thread uses it again. Initial-exec, because it must not be allocated. */
static _Thread_local struct {
    void *at;
    size_t size;
} long_list __attribute__((tls_model("initial-exec")));

static void *room_for_long(size_t need) {
    if (long_list.size < need) {
        if (long_list.at) {
            munmap(long_list.at, long_list.size);
        }
        size_t size = need * 2;
        void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        long_list.at = at != MAP_FAILED ? at : NULL;
        long_list.size = at != MAP_FAILED ? size : 0;
    }
    return long_list.at;
}

/* The environment `variables` with the missing ones, on the caller's stack. COMPLETE is a macro
 * because the room must be in the caller's frame. */
#define COMPLETE(variables, merged)                                                                \
    size_t need_ = pinsight_environ_need(variables);                                               \
    void *room_ = need_ == 0              ? NULL                                                   \
                  : need_ <= ON_STACK_MAX ? __builtin_alloca_with_align(need_, 128)                \
                                          : room_for_long(need_);                                  \
    char *const *merged = room_ ? pinsight_environ_merge(variables, room_) : variables

/* True if the added variables made the environment too long. The call is repeated without them. */
#define IS_TOO_LONG(error, merged, variables) ((error) == E2BIG && (merged) != (variables))

/* A function of the family. `what` is the program that it executes. */
#define EXEC(name, type, what)                                                                     \
    PINSIGHT_EXPORT int name(type what, char *const words[], char *const variables[]) {            \
        int (*next)(type, char *const *, char *const *) = pinsight_next(TO_##name);                \
        if (!next) {                                                                               \
            return -1;                                                                             \
        }                                                                                          \
        int saved_errno = errno;                                                                   \
        COMPLETE(variables, merged);                                                               \
        errno = saved_errno;                                                                       \
        int result = next(what, words, merged);                                                    \
        return IS_TOO_LONG(errno, merged, variables) ? next(what, words, variables) : result;      \
    }

EXEC(execve, const char *, path)
EXEC(execvpe, const char *, file)
EXEC(fexecve, int, fd)

/* libc has it since 2.34. A program that was linked with such a libc needs it anyway. */
PINSIGHT_EXPORT int execveat(int folder, const char *path, char *const words[],
                             char *const variables[], int flags) {
    int saved_errno = errno;
    COMPLETE(variables, merged);
    errno = saved_errno;
    long result = syscall(SYS_execveat, folder, path, words, merged, flags);
    if (IS_TOO_LONG(errno, merged, variables)) {
        result = syscall(SYS_execveat, folder, path, words, variables, flags);
    }
    return (int)result;
}

PINSIGHT_EXPORT int execv(const char *path, char *const words[]) {
    return execve(path, words, environ);
}

PINSIGHT_EXPORT int execvp(const char *file, char *const words[]) {
    return execvpe(file, words, environ);
}

/* Returns the number of words from `first` on, with the NULL that ends them. */
static size_t count_words(const char *first, va_list words) {
    size_t count = 1;
    for (const char *word = first; word; word = va_arg(words, const char *)) {
        count++;
    }
    return count;
}

/* Writes the words to `list`, and leaves `words` behind the NULL. */
#define COLLECT(first, list)                                                                       \
    va_list counted_, words_;                                                                      \
    va_start(counted_, first);                                                                     \
    size_t count_ = count_words(first, counted_);                                                  \
    va_end(counted_);                                                                              \
    char *list[count_];                                                                            \
    va_start(words_, first);                                                                       \
    list[0] = (char *)(first);                                                                     \
    for (size_t i_ = 1; i_ < count_; i_++) {                                                       \
        list[i_] = va_arg(words_, char *);                                                         \
    }

PINSIGHT_EXPORT int execl(const char *path, const char *word, ...) {
    COLLECT(word, list);
    va_end(words_);
    return execve(path, list, environ);
}

PINSIGHT_EXPORT int execlp(const char *file, const char *word, ...) {
    COLLECT(word, list);
    va_end(words_);
    return execvpe(file, list, environ);
}

PINSIGHT_EXPORT int execle(const char *path, const char *word, ...) {
    COLLECT(word, list);
    char *const *variables = va_arg(words_, char *const *);
    va_end(words_);
    return execve(path, list, variables);
}

typedef int (*spawner)(pid_t *, const char *, const posix_spawn_file_actions_t *,
                       const posix_spawnattr_t *, char *const *, char *const *);

static int spawn(spawner next, pid_t *pid, const char *file,
                 const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
                 char *const words[], char *const variables[]) {
    if (!next) {
        return ENOSYS;
    }
    COMPLETE(variables, merged);
    int error = next(pid, file, actions, attributes, words, merged);
    return IS_TOO_LONG(error, merged, variables)
               ? next(pid, file, actions, attributes, words, variables)
               : error;
}

#define SPAWN(name)                                                                                \
    PINSIGHT_EXPORT int name(                                                                      \
        pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,                   \
        const posix_spawnattr_t *attributes, char *const words[], char *const variables[]) {       \
        return spawn((spawner)pinsight_next(TO_##name), pid, file, actions, attributes, words,     \
                     variables);                                                                   \
    }
SPAWN(posix_spawn)
SPAWN(posix_spawnp)

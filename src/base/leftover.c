/* A few slots for paths, which a signal handler can read at any moment; see leftover.h. */
#include "base/leftover.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST 16
/* The deepest folder to remove. An archive of OTF2 has one folder in it, and so has a copy of a
 * trace. */
#define MAX_DEPTH 6

/* Volatile pointers: a signal handler finds a complete path or NULL. */
static char *volatile noted[MOST];

void pinsight_leftover_block_signals(sigset_t *before) {
    sigset_t all;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, before);
}

void pinsight_leftover_block_for_threads(sigset_t *before) {
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
    sigset_t set;

    sigfillset(&set);
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        sigdelset(&set, faults[i]);
    pthread_sigmask(SIG_BLOCK, &set, before);
}

void pinsight_leftover_unblock_signals(const sigset_t *before) {
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

void pinsight_leftover_note(const char *path) {
    char *copy = pinsight_strdup(path);

    for (unsigned i = 0; i < MOST; i++)
        if (!noted[i]) {
            noted[i] = copy;
            return;
        }
    free(copy);
}

void pinsight_leftover_forget(const char *path) {
    for (unsigned i = 0; i < MOST; i++) {
        char *known = noted[i];

        if (known && !strcmp(known, path)) {
            noted[i] = NULL;
            free(known);
            return;
        }
    }
}

/* An entry from getdents64(2). opendir() would allocate. */
struct kernel_entry {
    uint64_t inode;
    int64_t next;
    uint16_t length;
    uint8_t type;
    char name[];
};

static void remove_at(int folder, const char *name, int depth);

static void remove_content(int folder, int depth) {
    _Alignas(struct kernel_entry) char buffer[2048];
    long size;

    while ((size = syscall(SYS_getdents64, folder, buffer, sizeof(buffer))) > 0)
        for (long at = 0; at < size;) {
            const struct kernel_entry *entry = (const struct kernel_entry *)(buffer + at);

            if (strcmp(entry->name, ".") != 0 && strcmp(entry->name, "..") != 0)
                remove_at(folder, entry->name, depth);
            at += entry->length;
        }
}

static void remove_at(int folder, const char *name, int depth) {
    int inner;

    if (unlinkat(folder, name, 0) == 0 || depth == MAX_DEPTH)
        return;
    inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner < 0)
        return;
    remove_content(inner, depth + 1);
    close(inner);
    unlinkat(folder, name, AT_REMOVEDIR);
}

void pinsight_leftover_remove_tree(const char *path) {
    remove_at(AT_FDCWD, path, 0);
}

void pinsight_leftover_remove(void) {
    int error = errno;

    for (unsigned i = 0; i < MOST; i++) {
        const char *path = noted[i];

        noted[i] = NULL; /* not freed, because this may run in a signal handler */
        if (path)
            remove_at(AT_FDCWD, path, 0);
    }
    errno = error;
}

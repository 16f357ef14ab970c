/* Has a running CPython execute a script by ptrace(2); see interrupt.h. */
#include "attach/interrupt.h"

#if defined(__x86_64__)

#include "attach/memory.h"
#include "attach/stub.h"
#include "attach/symbols.h"
#include "attach/syscalls.h"
#include "attach/thread.h"
#include "base/clock.h"

#include <cpuid.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LOOK_MS = 2, TURN_MS = 250, THREADS_MOST = 16, EXECUTES_MS = 2000, LEAVES_MS = 20 };

bool pinsight_interrupt_possible(void) {
    unsigned a, b, c, d;

    return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_OSXSAVE) != 0;
}

/* In the order of the addresses in stub.h. */
static const char *const functions[] = {
    "Py_IsInitialized",   "PyGILState_Check",  "PyGILState_Ensure",
    "PyGILState_Release", "Py_AddPendingCall", "PyDict_New",
    "PyRun_StringFlags",  "PyErr_Clear",       "Py_DecRef",
};
enum { FUNCTIONS = sizeof(functions) / sizeof(*functions) };

/* A thread that was stopped and redirected, and the memory that it executes in. */
struct lent {
    int tid;
    uint64_t memory;
    bool is_queued;
};

struct interrupting {
    int pid;
    const char *text;
    uint64_t addresses[FUNCTIONS];
    struct pinsight_syscaller caller;
    struct lent lent[THREADS_MOST];
    size_t count;
};

static int word_of(const struct interrupting *all, const struct lent *lent, uint64_t offset) {
    int word = 0;

    pinsight_memory_read(all->pid, lent->memory + offset, &word, sizeof(word));
    return word;
}

/* ---- lending ---- */

static bool fill(const struct interrupting *all, uint64_t memory, bool queue,
                 const struct pinsight_resume *resume) {
    int flag = queue;
    uint64_t at[2] = {resume->stack, resume->at};

    return pinsight_memory_write(all->pid, memory + STUB_QUEUE, &flag, sizeof(flag)) &&
           pinsight_memory_write(all->pid, memory + STUB_RESUME_STACK, at, sizeof(at)) &&
           pinsight_memory_write(all->pid, memory + STUB_IS_INITIALIZED, all->addresses,
                                 sizeof(all->addresses)) &&
           pinsight_memory_write(all->pid, memory + STUB_CODE, pinsight_stub_begin,
                                 (size_t)(pinsight_stub_end - pinsight_stub_begin)) &&
           pinsight_memory_write(all->pid, memory + STUB_TEXT, all->text, strlen(all->text) + 1);
}

/* Makes a stopped thread continue in the stub. Returns the address of the memory for it, which
 * take_back() unmaps; 0 with errno. */
static uint64_t lend(const struct interrupting *all, struct pinsight_stopped *stopped, bool queue) {
    struct pinsight_resume resume = pinsight_stopped_resume(stopped);
    uint64_t memory;

    if (!pinsight_syscall(&all->caller, stopped, SYS_mmap, &memory, 0, STUB_SIZE,
                          PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, (uint64_t)-1, 0))
        return 0;
    uint64_t done;
    if (fill(all, memory, queue, &resume) &&
        pinsight_syscall(&all->caller, stopped, SYS_mprotect, &done, memory + STUB_CODE,
                         STUB_TEXT - STUB_CODE, PROT_READ | PROT_EXEC, 0, 0, 0)) {
        pinsight_stopped_redirect(stopped, memory + STUB_CODE);
        return memory;
    }
    int error = errno;
    pinsight_syscall(&all->caller, stopped, SYS_munmap, &done, memory, STUB_SIZE, 0, 0, 0, 0);
    errno = error;
    return 0;
}

/* Stops a thread and makes it execute the script. If it waits in a system call, it does so at once.
 * Otherwise the main thread gets a pending call, and another thread stays as it was. Returns false
 * with errno if the thread cannot be stopped or redirected. */
static bool interrupt(struct interrupting *all, int tid, bool queue) {
    struct pinsight_stopped stopped;

    if (!pinsight_stopped_begin(&stopped, tid))
        return false;
    struct lent *lent = &all->lent[all->count];
    bool waits = pinsight_stopped_waits(&stopped);
    *lent = (struct lent){.tid = tid, .is_queued = queue || !waits};
    if (waits || tid == all->pid) {
        lent->memory = lend(all, &stopped, lent->is_queued);
        all->count += lent->memory != 0;
    } else {
        errno = 0;
    }
    int error = errno;
    bool done = lent->memory != 0 || error == 0;
    pinsight_stopped_end(&stopped);
    errno = error;
    return done;
}

/* ---- taking back ---- */

/* Returns whether no thread is in the memory any more, except in the last instructions of the
 * stub. */
static bool is_over(const struct interrupting *all, const struct lent *lent) {
    int entry = word_of(all, lent, STUB_ENTRY);

    return entry == STUB_QUEUED ? word_of(all, lent, STUB_RAN) != 0 : entry != STUB_STARTED;
}

/* Unmaps the memory in the process. Returns false if the thread is still in it. */
static bool unmap(const struct interrupting *all, const struct lent *lent) {
    struct pinsight_stopped stopped;
    uint64_t done;

    if (!pinsight_stopped_begin(&stopped, lent->tid))
        return true; /* The thread has ended: the process keeps the memory. */
    bool within = pinsight_stopped_is_within(&stopped, lent->memory, STUB_SIZE);
    if (!within)
        pinsight_syscall(&all->caller, &stopped, SYS_munmap, &done, lent->memory, STUB_SIZE, 0, 0,
                         0, 0);
    pinsight_stopped_end(&stopped);
    return !within;
}

/* Forbids all threads to begin with the script. Waits for a thread that executes it, and unmaps the
 * memory. The process keeps the memory if a thread waits long for the GIL, or if a pending call has
 * not run yet. */
static void take_back(const struct interrupting *all, const struct lent *lent) {
    int claimed = word_of(all, lent, STUB_CLAIMED), taken = 1;

    pinsight_memory_write(all->pid, lent->memory + STUB_CLAIMED, &taken, sizeof(taken));
    int64_t until = pinsight_now_ms() + (claimed ? EXECUTES_MS : LEAVES_MS);
    while (!is_over(all, lent) || !unmap(all, lent)) {
        if (pinsight_now_ms() > until)
            return;
        pinsight_sleep_ms(1);
    }
}

/* ---- all ---- */

static bool is_lent(const struct interrupting *all, int tid) {
    for (size_t i = 0; i < all->count; i++)
        if (all->lent[i].tid == tid)
            return true;
    return false;
}

static void interrupt_next(struct interrupting *all) {
    char path[64], *end;

    snprintf(path, sizeof(path), "/proc/%d/task", all->pid);
    DIR *tasks = opendir(path);
    size_t before = all->count;
    for (struct dirent *entry;
         tasks != NULL && all->count == before && (entry = readdir(tasks)) != NULL;) {
        long tid = strtol(entry->d_name, &end, 10);
        if (tid > 0 && *end == '\0' && !is_lent(all, (int)tid))
            interrupt(all, (int)tid, false);
    }
    if (tasks != NULL)
        closedir(tasks);
}

/* Makes a pending call if the first thread has the GIL. Returns whether to keep waiting. */
static enum pinsight_remote look(struct interrupting *all) {
    int entry = word_of(all, &all->lent[0], STUB_ENTRY);

    if (entry == STUB_NO_PYTHON)
        return PINSIGHT_REMOTE_GONE;
    if (entry == STUB_HAS_GIL && all->count == 1)
        interrupt(all, all->pid, true);
    return PINSIGHT_REMOTE_DONE;
}

enum pinsight_remote pinsight_interrupt(int pid, const char *text, int64_t patience_ms,
                                        bool (*is_done)(void *data), void *data) {
    struct interrupting all = {.pid = pid, .text = text};
    enum pinsight_remote how = PINSIGHT_REMOTE_DONE;

    if (strlen(text) >= STUB_SIZE - STUB_TEXT)
        return PINSIGHT_REMOTE_TOO_LONG;
    if (!pinsight_symbols_find(pid, functions, FUNCTIONS, all.addresses) ||
        !pinsight_syscaller_find(&all.caller, pid)) {
        errno = errno != 0 ? errno : ENOEXEC;
        return PINSIGHT_REMOTE_FAILED;
    }
    if (!interrupt(&all, pid, false))
        return PINSIGHT_REMOTE_FAILED;
    int64_t begin = pinsight_now_ms(), turn = begin + TURN_MS;
    while (how == PINSIGHT_REMOTE_DONE && !is_done(data)) {
        int64_t now = pinsight_now_ms();
        how = now - begin > patience_ms ? PINSIGHT_REMOTE_SILENT : look(&all);
        if (now > turn && all.count < THREADS_MOST) {
            interrupt_next(&all);
            turn = now + TURN_MS;
        }
        pinsight_sleep_ms(LOOK_MS);
    }
    for (size_t i = 0; i < all.count; i++)
        take_back(&all, &all.lent[i]);
    return how;
}

#else

#include <errno.h>

bool pinsight_interrupt_possible(void) {
    return false;
}

enum pinsight_remote pinsight_interrupt(int pid, const char *text, int64_t patience_ms,
                                        bool (*is_done)(void *data), void *data) {
    (void)pid, (void)text, (void)patience_ms, (void)is_done, (void)data;
    errno = ENOSYS;
    return PINSIGHT_REMOTE_FAILED;
}

#endif

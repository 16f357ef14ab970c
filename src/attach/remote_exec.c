/* Makes a running CPython execute a script; see remote_exec.h. */
#include "attach/remote_exec.h"

#include "attach/memory.h"
#include "attach/thread.h"
#include "base/clock.h"

#include <string.h>

enum {
    LOOK_MS = 2,
    TURN_MS = 250, /* time for a thread to respond before another thread is asked, too */
    THREADS_MOST = 4096,
    SCRIPT_ROOM = 512,
};

/*
 * Include/internal/pycore_ceval.h. The program may change a bit between our read and our write of
 * the word. STOP_BIT makes the interpreter check the other bits. LOOK_BITS (signals, pending calls,
 * asynchronous exceptions) are set with it, because they are harmless: the interpreter only checks
 * for work. DROP_BIT, the request to release the GIL, is cleared. A thread that releases the GIL
 * waits until another thread has taken it, for ever if there is none. A thread that wants the GIL
 * sets the bit again after its interval.
 */
enum { STOP_BIT = 1 << 5, DROP_BIT = 1 << 0, LOOK_BITS = 1 << 1 | 1 << 2 | 1 << 3 };

static uint64_t part(const struct pinsight_runtime *runtime, uint64_t thread) {
    return thread + runtime->offsets[PINSIGHT_OFFSET_REMOTE];
}

static bool set_pending(const struct pinsight_runtime *runtime, uint64_t thread, int32_t pending) {
    return pinsight_memory_write(
        runtime->pid, part(runtime, thread) + runtime->offsets[PINSIGHT_OFFSET_REMOTE_PENDING],
        &pending, sizeof(pending));
}

/* Asks a thread whose state cannot be freed meanwhile. Returns false with errno. */
static bool tell(const struct pinsight_runtime *runtime, uint64_t thread, const char *script) {
    uint64_t at = thread + runtime->offsets[PINSIGHT_OFFSET_EVAL_BREAKER], word;

    if (!pinsight_memory_write(
            runtime->pid, part(runtime, thread) + runtime->offsets[PINSIGHT_OFFSET_REMOTE_SCRIPT],
            script, strlen(script) + 1) ||
        !set_pending(runtime, thread, 1) ||
        !pinsight_memory_read(runtime->pid, at, &word, sizeof(word)))
        return false;
    /* The bits are in the first byte. The rest of the word is not written. */
    uint8_t bits = (uint8_t)((word & ~(uint64_t)DROP_BIT) | STOP_BIT | LOOK_BITS);
    return pinsight_memory_write(runtime->pid, at, &bits, sizeof(bits));
}

/* ---- threads other than the main one, whose states may be freed at any moment ---- */

/* Returns whether the state is still that of the thread. */
static bool is_there(const struct pinsight_runtime *runtime, uint64_t thread, int tid) {
    uint64_t at = pinsight_runtime_pointer(runtime, runtime->interpreter +
                                                        runtime->offsets[PINSIGHT_OFFSET_THREADS]);

    for (int i = 0; at != 0 && i < THREADS_MOST; i++) {
        if (at == thread)
            return (int)pinsight_runtime_pointer(
                       runtime, at + runtime->offsets[PINSIGHT_OFFSET_NATIVE_THREAD]) == tid;
        at = pinsight_runtime_pointer(runtime, at + runtime->offsets[PINSIGHT_OFFSET_NEXT_THREAD]);
    }
    return false;
}

/* Asks a thread, or withdraws the request if `script` is NULL, while the thread is stopped: only
 * then its state cannot be freed. Returns false if the thread has ended or cannot be stopped. */
static bool with_stopped(const struct pinsight_runtime *runtime, uint64_t thread, int tid,
                         const char *script) {
    bool done = false;

    if (tid <= 0 || !pinsight_thread_stop(tid))
        return false;
    if (is_there(runtime, thread, tid))
        done = script != NULL ? tell(runtime, thread, script) : set_pending(runtime, thread, 0);
    pinsight_thread_let_go(tid);
    return done;
}

/* ---- all ---- */

/* The threads that were asked. The main thread comes first: its state lives as long as the
 * interpreter. */
struct asking {
    const struct pinsight_runtime *runtime;
    const char *script;
    size_t count;
    struct {
        uint64_t state;
        int tid;
    } asked[64];
};

static bool is_asked(const struct asking *asking, uint64_t state) {
    for (size_t i = 0; i < asking->count; i++)
        if (asking->asked[i].state == state)
            return true;
    return false;
}

static void ask_next(struct asking *asking) {
    const struct pinsight_runtime *runtime = asking->runtime;
    uint64_t at = pinsight_runtime_pointer(runtime, runtime->interpreter +
                                                        runtime->offsets[PINSIGHT_OFFSET_THREADS]);

    for (int i = 0; at != 0 && i < THREADS_MOST; i++) {
        int tid = (int)pinsight_runtime_pointer(
            runtime, at + runtime->offsets[PINSIGHT_OFFSET_NATIVE_THREAD]);
        if (!is_asked(asking, at) &&
            asking->count < sizeof(asking->asked) / sizeof(*asking->asked)) {
            asking->asked[asking->count].state = at;
            asking->asked[asking->count++].tid = tid;
            if (with_stopped(runtime, at, tid, asking->script))
                return;
        }
        at = pinsight_runtime_pointer(runtime, at + runtime->offsets[PINSIGHT_OFFSET_NEXT_THREAD]);
    }
}

static bool is_pending(const struct pinsight_runtime *runtime, uint64_t thread) {
    int32_t pending = 0;

    return pinsight_memory_read(runtime->pid,
                                part(runtime, thread) +
                                    runtime->offsets[PINSIGHT_OFFSET_REMOTE_PENDING],
                                &pending, sizeof(pending)) &&
           pending != 0;
}

static void take_back(const struct asking *asking) {
    for (size_t i = 0; i < asking->count; i++) {
        if (!is_pending(asking->runtime, asking->asked[i].state))
            continue;
        if (i == 0)
            set_pending(asking->runtime, asking->asked[i].state, 0);
        else
            with_stopped(asking->runtime, asking->asked[i].state, asking->asked[i].tid, NULL);
    }
}

enum pinsight_remote pinsight_remote_exec(const struct pinsight_runtime *runtime,
                                          const char *script, int64_t patience_ms,
                                          bool (*is_done)(void *data), void *data) {
    struct asking asking = {.runtime = runtime, .script = script};
    int64_t begin = pinsight_now_ms(), turn = begin + TURN_MS;
    int32_t is_on = 0;

    if (runtime->interpreter == 0)
        return PINSIGHT_REMOTE_GONE;
    if (strlen(script) >= runtime->offsets[PINSIGHT_OFFSET_REMOTE_SCRIPT_BYTES] ||
        strlen(script) >= SCRIPT_ROOM)
        return PINSIGHT_REMOTE_TOO_LONG;
    if (!pinsight_memory_read(runtime->pid,
                              runtime->interpreter + runtime->offsets[PINSIGHT_OFFSET_REMOTE_IS_ON],
                              &is_on, sizeof(is_on)))
        return PINSIGHT_REMOTE_FAILED;
    if (is_on != 1)
        return PINSIGHT_REMOTE_OFF;
    uint64_t first = pinsight_runtime_pointer(
        runtime, runtime->interpreter + runtime->offsets[PINSIGHT_OFFSET_MAIN_THREAD]);
    if (first == 0)
        return PINSIGHT_REMOTE_GONE;
    asking.asked[asking.count++].state = first;
    if (!tell(runtime, first, script))
        return PINSIGHT_REMOTE_FAILED;
    while (!is_done(data)) {
        int64_t now = pinsight_now_ms();
        if (now - begin > patience_ms) {
            take_back(&asking);
            return PINSIGHT_REMOTE_SILENT;
        }
        if (now > turn) {
            ask_next(&asking);
            turn = now + TURN_MS;
        }
        pinsight_sleep_ms(LOOK_MS);
    }
    take_back(&asking);
    return PINSIGHT_REMOTE_DONE;
}

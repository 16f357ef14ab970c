/*
 * backtrace(), without the frames of PInsight.
 *
 * NumPy reuses the memory of its own temporaries for results (a + b + c), if no other code can have
 * a reference to them. NumPy checks that all callers are NumPy's or the interpreter's. With the
 * frames, wrappers of the Python domain would count as a foreign caller.
 */
#include "forward.h"
#include "libc.h"

#include <stdint.h>
#include <string.h>

/* Ranges of excluded code. Each of the few extensions writes one range once. */
#define PIECES 8
static struct {
    _Atomic uintptr_t begin;
    uintptr_t end;
} hidden[PIECES];

void pinsight_preload_hide_code(const void *begin, const void *end) {
    for (int i = 0; i < PIECES; i++) {
        uintptr_t nobody = 0;
        if (hidden[i].begin == (uintptr_t)begin)
            return;
        if (hidden[i].begin == 0) {
            hidden[i].end = (uintptr_t)end;
            if (atomic_compare_exchange_strong(&hidden[i].begin, &nobody, (uintptr_t)begin))
                return;
        }
    }
}

static bool is_hidden(const void *address) {
    uintptr_t at = (uintptr_t)address;
    for (int i = 0; i < PIECES && hidden[i].begin; i++) {
        /* A return address may be directly behind the code. */
        if (at > hidden[i].begin && at <= hidden[i].end)
            return true;
    }
    return false;
}

/* Frames of PInsight that there may be beside those that are asked for: this function, and two for
 * each nested operator. */
#define BESIDE 17
/* Callers that examine the innermost frames ask for at most this many. */
#define MOST 512

PINSIGHT_EXPORT int backtrace(void **buffer, int size) {
    int (*next)(void **, int) = pinsight_next(TO_backtrace);
    void *all[MOST + BESIDE];
    bool is_small = size > 0 && size <= MOST;
    void **frames = is_small ? all : buffer;
    int kept = 0;
    int count = next && size > 0 ? next(frames, is_small ? size + BESIDE : size) : 0;
    for (int i = 1; i < count && kept < size; i++) { /* the first is this function */
        if (!is_hidden(frames[i])) {
            buffer[kept++] = frames[i];
        }
    }
    return kept;
}

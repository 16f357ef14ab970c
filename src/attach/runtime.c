/* The state of a CPython in another process; see runtime.h. */
#include "attach/runtime.h"

#include "attach/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

enum { TABLE_WORDS = 128, PIECE = 1 << 20, INTERPRETERS_MOST = 1000 };

static const char cookie[8] = {'x', 'd', 'e', 'b', 'u', 'g', 'p', 'y'};

/* The word of a version's table that contains each offset. tests/integration/test_attach.py
 * compares these numbers with the headers of the versions. */
struct table {
    unsigned minor;
    unsigned char words[PINSIGHT_OFFSETS];
};

static const struct table tables[] = {
    {14,
     {[PINSIGHT_OFFSET_INTERPRETERS] = 5,
      [PINSIGHT_OFFSET_INTERPRETER_ID] = 7,
      [PINSIGHT_OFFSET_NEXT_INTERPRETER] = 8,
      [PINSIGHT_OFFSET_THREADS] = 9,
      [PINSIGHT_OFFSET_MAIN_THREAD] = 10,
      [PINSIGHT_OFFSET_REMOTE_IS_ON] = 91,
      [PINSIGHT_OFFSET_NEXT_THREAD] = 24,
      [PINSIGHT_OFFSET_NATIVE_THREAD] = 28,
      [PINSIGHT_OFFSET_EVAL_BREAKER] = 89,
      [PINSIGHT_OFFSET_REMOTE] = 90,
      [PINSIGHT_OFFSET_REMOTE_PENDING] = 92,
      [PINSIGHT_OFFSET_REMOTE_SCRIPT] = 93,
      [PINSIGHT_OFFSET_REMOTE_SCRIPT_BYTES] = 94,
      [PINSIGHT_OFFSET_GIL_HOLDER] = 19,
      [PINSIGHT_OFFSET_GIL_LOCKED] = 18,
      [PINSIGHT_OFFSET_CURRENT_FRAME] = 26,
      [PINSIGHT_OFFSET_FRAME_PREVIOUS] = 32,
      [PINSIGHT_OFFSET_FRAME_CODE] = 33,
      [PINSIGHT_OFFSET_FRAME_AT] = 34,
      [PINSIGHT_OFFSET_FRAME_OWNER] = 36,
      [PINSIGHT_OFFSET_OBJECT_TYPE] = 51,
      [PINSIGHT_OFFSET_TYPE_NAME] = 53,
      [PINSIGHT_OFFSET_CODE_FILE] = 40,
      [PINSIGHT_OFFSET_CODE_NAME] = 42,
      [PINSIGHT_OFFSET_CODE_LINES] = 43,
      [PINSIGHT_OFFSET_CODE_FIRST_LINE] = 44,
      [PINSIGHT_OFFSET_CODE_INSTRUCTIONS] = 48,
      [PINSIGHT_OFFSET_BYTES_SIZE] = 75,
      [PINSIGHT_OFFSET_BYTES_CONTENT] = 76,
      [PINSIGHT_OFFSET_TEXT_STATE] = 78,
      [PINSIGHT_OFFSET_TEXT_LENGTH] = 79,
      [PINSIGHT_OFFSET_TEXT_CONTENT] = 80}},
    {15,
     {[PINSIGHT_OFFSET_INTERPRETERS] = 5,
      [PINSIGHT_OFFSET_INTERPRETER_ID] = 7,
      [PINSIGHT_OFFSET_NEXT_INTERPRETER] = 8,
      [PINSIGHT_OFFSET_THREADS] = 9,
      [PINSIGHT_OFFSET_MAIN_THREAD] = 10,
      [PINSIGHT_OFFSET_REMOTE_IS_ON] = 107,
      [PINSIGHT_OFFSET_NEXT_THREAD] = 24,
      [PINSIGHT_OFFSET_NATIVE_THREAD] = 31,
      [PINSIGHT_OFFSET_EVAL_BREAKER] = 105,
      [PINSIGHT_OFFSET_REMOTE] = 106,
      [PINSIGHT_OFFSET_REMOTE_PENDING] = 108,
      [PINSIGHT_OFFSET_REMOTE_SCRIPT] = 109,
      [PINSIGHT_OFFSET_REMOTE_SCRIPT_BYTES] = 110,
      [PINSIGHT_OFFSET_GIL_HOLDER] = 19,
      [PINSIGHT_OFFSET_GIL_LOCKED] = 18,
      [PINSIGHT_OFFSET_CURRENT_FRAME] = 26,
      [PINSIGHT_OFFSET_FRAME_PREVIOUS] = 40,
      [PINSIGHT_OFFSET_FRAME_CODE] = 41,
      [PINSIGHT_OFFSET_FRAME_AT] = 42,
      [PINSIGHT_OFFSET_FRAME_OWNER] = 44,
      [PINSIGHT_OFFSET_OBJECT_TYPE] = 59,
      [PINSIGHT_OFFSET_TYPE_NAME] = 61,
      [PINSIGHT_OFFSET_CODE_FILE] = 48,
      [PINSIGHT_OFFSET_CODE_NAME] = 50,
      [PINSIGHT_OFFSET_CODE_LINES] = 51,
      [PINSIGHT_OFFSET_CODE_FIRST_LINE] = 52,
      [PINSIGHT_OFFSET_CODE_INSTRUCTIONS] = 56,
      [PINSIGHT_OFFSET_BYTES_SIZE] = 87,
      [PINSIGHT_OFFSET_BYTES_CONTENT] = 88,
      [PINSIGHT_OFFSET_TEXT_STATE] = 90,
      [PINSIGHT_OFFSET_TEXT_LENGTH] = 91,
      [PINSIGHT_OFFSET_TEXT_CONTENT] = 92}},
};

uint64_t pinsight_runtime_pointer(const struct pinsight_runtime *runtime, uint64_t address) {
    uint64_t value = 0;

    return address != 0 && pinsight_memory_read(runtime->pid, address, &value, sizeof(value))
               ? value
               : 0;
}

/* ---- finding ---- */

/* Reads a version from the name of a file, such as "libpython3.12.so.1.0" or "python3.12". Returns
 * its first two bytes in the form of PY_VERSION_HEX, or 0 for other names. */
static uint32_t version_in(const char *path) {
    const char *name = strrchr(path, '/') + 1;

    if (strncmp(name, "lib", 3) == 0)
        name += 3;
    if (strncmp(name, "python3.", 8) != 0 || name[8] < '0' || name[8] > '9')
        return 0;
    return 0x03000000u | (uint32_t)strtoul(name + 8, NULL, 10) << 16;
}

/* Searches a mapping for the cookie, with a version of CPython behind it. */
static bool scan(struct pinsight_runtime *runtime, uint64_t begin, uint64_t end) {
    static uint64_t words[PIECE / sizeof(uint64_t)];
    uint64_t wanted;

    memcpy(&wanted, cookie, sizeof(wanted));
    for (uint64_t at = begin; at < end; at += PIECE) {
        size_t size = end - at < PIECE ? (size_t)(end - at) : PIECE;
        if (!pinsight_memory_read(runtime->pid, at, words, size))
            return false;
        for (size_t i = 0; i + 2 < size / sizeof(uint64_t); i++) {
            if (words[i] == wanted && words[i + 1] >> 24 == 3 && words[i + 2] <= 1) {
                runtime->address = at + i * sizeof(uint64_t);
                runtime->version = (uint32_t)words[i + 1];
                runtime->free_threaded = words[i + 2] != 0;
                return true;
            }
        }
    }
    return false;
}

/* The table is in the data of the program or of a library. The file may have any name. */
static bool look_at(const struct pinsight_memory_mapping *mapping, void *data) {
    struct pinsight_runtime *runtime = data;
    uint32_t named = version_in(mapping->path);

    if (runtime->version == 0 && named != 0)
        runtime->version = named;
    return !(mapping->is_writable && scan(runtime, mapping->begin, mapping->end));
}

static void read_offsets(struct pinsight_runtime *runtime) {
    uint64_t words[TABLE_WORDS];
    unsigned minor = runtime->version >> 16 & 0xff;

    for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
        if (tables[i].minor != minor ||
            !pinsight_memory_read(runtime->pid, runtime->address, words, sizeof(words)))
            continue;
        for (int what = 0; what < PINSIGHT_OFFSETS; what++)
            runtime->offsets[what] = words[tables[i].words[what]];
        runtime->has_offsets = true;
    }
}

static void find_main(struct pinsight_runtime *runtime) {
    uint64_t at = pinsight_runtime_pointer(
        runtime, runtime->address + runtime->offsets[PINSIGHT_OFFSET_INTERPRETERS]);

    for (int i = 0; at != 0 && i < INTERPRETERS_MOST; i++) {
        int64_t id = -1;
        if (pinsight_memory_read(runtime->pid,
                                 at + runtime->offsets[PINSIGHT_OFFSET_INTERPRETER_ID], &id,
                                 sizeof(id)) &&
            id == 0) {
            runtime->interpreter = at;
            return;
        }
        at = pinsight_runtime_pointer(runtime,
                                      at + runtime->offsets[PINSIGHT_OFFSET_NEXT_INTERPRETER]);
    }
}

int pinsight_runtime_find(struct pinsight_runtime *runtime, int pid) {
    *runtime = (struct pinsight_runtime){.pid = pid};
    if (!pinsight_memory_each(pid, look_at, runtime))
        return -1;
    if (runtime->version == 0)
        return 0;
    if (runtime->address != 0) {
        read_offsets(runtime);
        if (runtime->has_offsets)
            find_main(runtime);
    }
    return 1;
}

/*
 * The state of a CPython in another process. From 3.13 on, the interpreter keeps a table for this
 * (_Py_DebugOffsets, Include/internal/pycore_debug_offsets.h). The table contains the offset of
 * each field. The table's own layout depends on the minor version.
 */
#ifndef PINSIGHT_ATTACH_RUNTIME_H
#define PINSIGHT_ATTACH_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The used fields of the table. Each is an offset in the structure that its comment names. */
enum pinsight_offset {
    PINSIGHT_OFFSET_INTERPRETERS,     /* in the runtime's state */
    PINSIGHT_OFFSET_INTERPRETER_ID,   /* in an interpreter's state */
    PINSIGHT_OFFSET_NEXT_INTERPRETER, /* in an interpreter's state */
    PINSIGHT_OFFSET_THREADS,          /* in an interpreter's state */
    PINSIGHT_OFFSET_MAIN_THREAD,      /* in an interpreter's state */
    PINSIGHT_OFFSET_REMOTE_IS_ON,     /* in an interpreter's state */
    PINSIGHT_OFFSET_NEXT_THREAD,      /* in a thread's state */
    PINSIGHT_OFFSET_NATIVE_THREAD,    /* in a thread's state */
    PINSIGHT_OFFSET_EVAL_BREAKER,     /* in a thread's state */
    PINSIGHT_OFFSET_REMOTE,           /* in a thread's state: the part for scripts from outside */
    PINSIGHT_OFFSET_REMOTE_PENDING,   /* in that part */
    PINSIGHT_OFFSET_REMOTE_SCRIPT,    /* in that part */
    PINSIGHT_OFFSET_REMOTE_SCRIPT_BYTES, /* no offset: the room for the script's path */
    PINSIGHT_OFFSET_GIL_HOLDER,        /* in an interpreter's state: the last thread with the GIL */
    PINSIGHT_OFFSET_GIL_LOCKED,        /* in an interpreter's state: an int */
    PINSIGHT_OFFSET_CURRENT_FRAME,     /* in a thread's state */
    PINSIGHT_OFFSET_FRAME_PREVIOUS,    /* in a frame */
    PINSIGHT_OFFSET_FRAME_CODE,        /* in a frame, with tags in its last bits */
    PINSIGHT_OFFSET_FRAME_AT,          /* in a frame: the instruction */
    PINSIGHT_OFFSET_FRAME_OWNER,       /* in a frame: a byte */
    PINSIGHT_OFFSET_OBJECT_TYPE,       /* in an object */
    PINSIGHT_OFFSET_TYPE_NAME,         /* in a type */
    PINSIGHT_OFFSET_CODE_FILE,         /* in a code object */
    PINSIGHT_OFFSET_CODE_NAME,         /* in a code object */
    PINSIGHT_OFFSET_CODE_LINES,        /* in a code object */
    PINSIGHT_OFFSET_CODE_FIRST_LINE,   /* in a code object: an int */
    PINSIGHT_OFFSET_CODE_INSTRUCTIONS, /* in a code object: the begin of the instructions */
    PINSIGHT_OFFSET_BYTES_SIZE,        /* in a bytes object */
    PINSIGHT_OFFSET_BYTES_CONTENT,     /* in a bytes object */
    PINSIGHT_OFFSET_TEXT_STATE,        /* in a string */
    PINSIGHT_OFFSET_TEXT_LENGTH,       /* in a string */
    PINSIGHT_OFFSET_TEXT_CONTENT,      /* in a string of ASCII characters */
    PINSIGHT_OFFSETS,
};

struct pinsight_runtime {
    int pid;
    uint64_t address;   /* of the runtime's state; 0 if there is no table */
    uint32_t version;   /* as PY_VERSION_HEX; without a table only its first two bytes */
    bool free_threaded; /* valid if there is a table */
    bool has_offsets;   /* the layout of this version's table is known */
    uint64_t offsets[PINSIGHT_OFFSETS];
    uint64_t interpreter; /* the main one; 0 if there is none yet */
};

/*
 * Looks for the CPython of a process. Returns 1 if there is one, found by its table or by the names
 * of its files. Returns 0 if there is none, or -1 with errno if the process cannot be examined.
 */
int pinsight_runtime_find(struct pinsight_runtime *runtime, int pid);

/* Returns the pointer that is stored at `address`, or 0 if it cannot be read. */
uint64_t pinsight_runtime_pointer(const struct pinsight_runtime *runtime, uint64_t address);

#endif

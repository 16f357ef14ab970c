/*
 * The state of a CPython in another process, by the table that the interpreter keeps for this
 * (_Py_DebugOffsets, Include/internal/pycore_debug_offsets.h): 3.13 and later. The table says where
 * each field is, and its own layout is the minor version's.
 */
#ifndef PINSIGHT_ATTACH_RUNTIME_H
#define PINSIGHT_ATTACH_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is asked for of the table. */
enum pinsight_offset {
    PINSIGHT_OFFSET_INTERPRETERS,        /* in the runtime's state */
    PINSIGHT_OFFSET_INTERPRETER_ID,      /* in an interpreter's */
    PINSIGHT_OFFSET_NEXT_INTERPRETER,    /* likewise */
    PINSIGHT_OFFSET_THREADS,             /* likewise */
    PINSIGHT_OFFSET_MAIN_THREAD,         /* likewise */
    PINSIGHT_OFFSET_REMOTE_IS_ON,        /* likewise */
    PINSIGHT_OFFSET_NEXT_THREAD,         /* in a thread's */
    PINSIGHT_OFFSET_NATIVE_THREAD,       /* likewise */
    PINSIGHT_OFFSET_EVAL_BREAKER,        /* likewise */
    PINSIGHT_OFFSET_REMOTE,              /* likewise: the part for scripts from outside */
    PINSIGHT_OFFSET_REMOTE_PENDING,      /* in that part */
    PINSIGHT_OFFSET_REMOTE_SCRIPT,       /* likewise */
    PINSIGHT_OFFSET_REMOTE_SCRIPT_BYTES, /* no offset: how long it may be */
    PINSIGHT_OFFSET_GIL_HOLDER,          /* in an interpreter's: who has, or had, the GIL */
    PINSIGHT_OFFSET_GIL_LOCKED,          /* likewise: an int */
    PINSIGHT_OFFSET_CURRENT_FRAME,       /* in a thread's */
    PINSIGHT_OFFSET_FRAME_PREVIOUS,      /* in a frame */
    PINSIGHT_OFFSET_FRAME_CODE,          /* likewise, with tags in its last bits */
    PINSIGHT_OFFSET_FRAME_AT,            /* likewise: the instruction */
    PINSIGHT_OFFSET_FRAME_OWNER,         /* likewise: a byte */
    PINSIGHT_OFFSET_OBJECT_TYPE,         /* in an object */
    PINSIGHT_OFFSET_TYPE_NAME,           /* in a type */
    PINSIGHT_OFFSET_CODE_FILE,           /* in a code object */
    PINSIGHT_OFFSET_CODE_NAME,           /* likewise */
    PINSIGHT_OFFSET_CODE_LINES,          /* likewise */
    PINSIGHT_OFFSET_CODE_FIRST_LINE,     /* likewise: an int */
    PINSIGHT_OFFSET_CODE_INSTRUCTIONS,   /* likewise: they begin there */
    PINSIGHT_OFFSET_BYTES_SIZE,          /* in bytes */
    PINSIGHT_OFFSET_BYTES_CONTENT,       /* likewise */
    PINSIGHT_OFFSET_TEXT_STATE,          /* in a string */
    PINSIGHT_OFFSET_TEXT_LENGTH,         /* likewise */
    PINSIGHT_OFFSET_TEXT_CONTENT,        /* likewise: of one of ASCII */
    PINSIGHT_OFFSETS,
};

struct pinsight_runtime {
    int pid;
    uint64_t address;   /* of the runtime's state; 0: it has no such table */
    uint32_t version;   /* as PY_VERSION_HEX; of one without a table, its two first bytes alone */
    bool free_threaded; /* where it has a table */
    bool has_offsets;   /* this version's table is known here */
    uint64_t offsets[PINSIGHT_OFFSETS];
    uint64_t interpreter; /* the main one; 0: there is none yet */
};

/*
 * Looks for the CPython of a process. Returns 1 where it has one, with a table or by the names of
 * its files; 0 where it has none; -1 with errno set where the process cannot be looked at.
 */
int pinsight_runtime_find(struct pinsight_runtime *runtime, int pid);

/* The address that is stored at one; 0 where it cannot be read. */
uint64_t pinsight_runtime_pointer(const struct pinsight_runtime *runtime, uint64_t address);

#endif

/* The Python stacks of another process; see stacks.h. */
#include "attach/stacks.h"

#include "attach/memory.h"
#include "runtimes/line_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    THREADS_MOST = 4096,
    FRAMES_MOST = 2000,
    TEXT_MOST = 1000, /* in characters */
    TEXT_BYTES = TEXT_MOST * 4 + 1,
    LINES_MOST = 1 << 20,     /* in bytes, of a line table */
    FIRST_OF_INTERPRETER = 3, /* frames with this owner, or a later one, run no function */
    TAGS = 7,
};

struct stack_reading {
    const struct pinsight_runtime *runtime;
    uint64_t code_type; /* address of the type `code`; 0 until it is found */
};

static uint64_t offset(const struct stack_reading *reading, enum pinsight_offset what) {
    return reading->runtime->offsets[what];
}

static uint64_t pointer_in(const struct stack_reading *reading, uint64_t object,
                           enum pinsight_offset what) {
    return object != 0 ? pinsight_runtime_pointer(reading->runtime, object + offset(reading, what))
                       : 0;
}

static bool read_in(const struct stack_reading *reading, uint64_t object, enum pinsight_offset what,
                    void *value, size_t size) {
    return pinsight_memory_read(reading->runtime->pid, object + offset(reading, what), value, size);
}

/* ---- texts ---- */

static size_t put_utf8(char *text, uint32_t character) {
    if (character < 0x80) {
        text[0] = (char)character;
        return 1;
    }
    if (character < 0x800) {
        text[0] = (char)(0xC0 | character >> 6);
        text[1] = (char)(0x80 | (character & 63));
        return 2;
    }
    if (character < 0x10000) {
        text[0] = (char)(0xE0 | character >> 12);
        text[1] = (char)(0x80 | (character >> 6 & 63));
        text[2] = (char)(0x80 | (character & 63));
        return 3;
    }
    text[0] = (char)(0xF0 | (character >> 18 & 7));
    text[1] = (char)(0x80 | (character >> 12 & 63));
    text[2] = (char)(0x80 | (character >> 6 & 63));
    text[3] = (char)(0x80 | (character & 63));
    return 4;
}

/* Reads a str. The state of a str has the width of the characters, and whether all are ASCII. */
static bool read_text(const struct stack_reading *reading, uint64_t object, char text[TEXT_BYTES]) {
    unsigned char content[TEXT_MOST * 4];
    uint32_t state;
    int64_t length;

    if (object == 0 ||
        !read_in(reading, object, PINSIGHT_OFFSET_TEXT_STATE, &state, sizeof(state)) ||
        !read_in(reading, object, PINSIGHT_OFFSET_TEXT_LENGTH, &length, sizeof(length)) ||
        length < 0)
        return false;
    unsigned shift = reading->runtime->free_threaded ? 8 : 2;
    size_t width = state >> shift & 7;
    bool is_compact = state >> (shift + 3) & 1, is_ascii = state >> (shift + 4) & 1;
    if (!is_compact || (width != 1 && width != 2 && width != 4))
        return false;
    if (length > TEXT_MOST)
        length = TEXT_MOST;
    uint64_t at = object + offset(reading, PINSIGHT_OFFSET_TEXT_CONTENT) +
                  (is_ascii ? 0 : sizeof(int64_t) + sizeof(void *));
    if (length > 0 &&
        !pinsight_memory_read(reading->runtime->pid, at, content, (size_t)length * width))
        return false;
    size_t used = 0;
    for (size_t i = 0; i < (size_t)length; i++) {
        uint32_t character = 0;
        memcpy(&character, content + i * width, width);
        used += put_utf8(text + used, character);
    }
    text[used] = '\0';
    return true;
}

/* ---- frames ---- */

static bool is_code(struct stack_reading *reading, uint64_t object) {
    char name[5] = "";

    uint64_t type = pointer_in(reading, object, PINSIGHT_OFFSET_OBJECT_TYPE);
    if (type != 0 && type == reading->code_type)
        return true;
    uint64_t at = pointer_in(reading, type, PINSIGHT_OFFSET_TYPE_NAME);
    if (reading->code_type != 0 || at == 0 ||
        !pinsight_memory_read(reading->runtime->pid, at, name, sizeof(name)) ||
        memcmp(name, "code", sizeof(name)) != 0)
        return false;
    reading->code_type = type;
    return true;
}

static int line_of(const struct stack_reading *reading, uint64_t code, uint64_t at) {
    static unsigned char table[LINES_MOST];
    int64_t size = 0;
    int32_t first = 0, line = 0;

    uint64_t object = pointer_in(reading, code, PINSIGHT_OFFSET_CODE_LINES);
    int64_t place = (int64_t)(at - code - offset(reading, PINSIGHT_OFFSET_CODE_INSTRUCTIONS));
    if (object == 0 ||
        !read_in(reading, code, PINSIGHT_OFFSET_CODE_FIRST_LINE, &first, sizeof(first)) ||
        !read_in(reading, object, PINSIGHT_OFFSET_BYTES_SIZE, &size, sizeof(size)) || size <= 0 ||
        size > LINES_MOST ||
        !read_in(reading, object, PINSIGHT_OFFSET_BYTES_CONTENT, table, (size_t)size))
        return 0;
    struct pinsight_line_range range;
    pinsight_line_begin(&range, table, (size_t)size, first);
    while (place >= 0 && pinsight_line_next_locations(&range)) {
        if (place >= range.start && place < range.end)
            line = range.line;
        if (place < range.end)
            break;
    }
    return line;
}

static void read_frame(struct stack_reading *reading, uint64_t frame,
                       const struct pinsight_stack_reader *reader) {
    char function[TEXT_BYTES], file[TEXT_BYTES];
    unsigned char owner = FIRST_OF_INTERPRETER;
    uint64_t code = pointer_in(reading, frame, PINSIGHT_OFFSET_FRAME_CODE) & ~(uint64_t)TAGS;

    if (!read_in(reading, frame, PINSIGHT_OFFSET_FRAME_OWNER, &owner, sizeof(owner)) ||
        owner >= FIRST_OF_INTERPRETER || !is_code(reading, code) ||
        !read_text(reading, pointer_in(reading, code, PINSIGHT_OFFSET_CODE_NAME), function) ||
        !read_text(reading, pointer_in(reading, code, PINSIGHT_OFFSET_CODE_FILE), file))
        return;
    const struct pinsight_stack_frame known = {
        .function = function,
        .file = file,
        .line = line_of(reading, code, pointer_in(reading, frame, PINSIGHT_OFFSET_FRAME_AT)),
    };
    reader->frame(reader->data, &known);
}

/* ---- threads ---- */

static void read_thread(struct stack_reading *reading, uint64_t state,
                        const struct pinsight_stack_reader *reader) {
    uint64_t interpreter = reading->runtime->interpreter;
    int32_t locked = 0;
    struct pinsight_stack_thread thread = {
        .tid = (int)pointer_in(reading, state, PINSIGHT_OFFSET_NATIVE_THREAD)};

    thread.has_gil =
        !reading->runtime->free_threaded &&
        read_in(reading, interpreter, PINSIGHT_OFFSET_GIL_LOCKED, &locked, sizeof(locked)) &&
        locked == 1 && pointer_in(reading, interpreter, PINSIGHT_OFFSET_GIL_HOLDER) == state;
    reader->thread(reader->data, &thread);
    uint64_t frame = pointer_in(reading, state, PINSIGHT_OFFSET_CURRENT_FRAME);
    for (int i = 0; frame != 0 && i < FRAMES_MOST; i++) {
        read_frame(reading, frame, reader);
        frame = pointer_in(reading, frame, PINSIGHT_OFFSET_FRAME_PREVIOUS);
    }
}

int pinsight_stacks_read(const struct pinsight_runtime *runtime,
                         const struct pinsight_stack_reader *reader) {
    static uint64_t states[THREADS_MOST];
    struct stack_reading reading = {.runtime = runtime};
    uint64_t first = pointer_in(&reading, runtime->interpreter, PINSIGHT_OFFSET_MAIN_THREAD);
    uint64_t at = pointer_in(&reading, runtime->interpreter, PINSIGHT_OFFSET_THREADS);
    size_t count = 0;

    /* The list has the newest thread first. */
    for (; at != 0 && count < THREADS_MOST - 1;
         at = pointer_in(&reading, at, PINSIGHT_OFFSET_NEXT_THREAD))
        if (at != first)
            states[count++] = at;
    if (first != 0)
        states[count++] = first;
    for (size_t i = count; i-- > 0;)
        read_thread(&reading, states[first == 0 || i == count - 1 ? i : count - 2 - i], reader);
    return (int)count;
}

/* ---- system calls that threads wait in ---- */

static const struct {
    long number;
    const char *what;
} waits[] = {
    {SYS_futex, "waits for a lock, or for the GIL"},
    {SYS_clock_nanosleep, "sleeps"},
    {SYS_nanosleep, "sleeps"},
    {SYS_ppoll, "waits for descriptors (poll)"},
    {SYS_pselect6, "waits for descriptors (select)"},
    {SYS_epoll_pwait, "waits for descriptors (epoll)"},
#ifdef SYS_poll
    {SYS_poll, "waits for descriptors (poll)"},
    {SYS_select, "waits for descriptors (select)"},
    {SYS_epoll_wait, "waits for descriptors (epoll)"},
#endif
    {SYS_accept, "waits for a connection"},
    {SYS_accept4, "waits for a connection"},
    {SYS_connect, "waits for a connection"},
    {SYS_recvfrom, "waits for a socket"},
    {SYS_recvmsg, "waits for a socket"},
    {SYS_sendto, "waits for a socket to take data"},
    {SYS_sendmsg, "waits for a socket to take data"},
    {SYS_read, "reads"},
    {SYS_write, "writes"},
    {SYS_wait4, "waits for a child process"},
    {SYS_waitid, "waits for a child process"},
    {SYS_flock, "waits for a lock of a file"},
    {SYS_fsync, "waits for the disk"},
};

const char *pinsight_stack_waits(int pid, int tid) {
    char path[64];
    long number = -1;

    snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", pid, tid);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return NULL;
    if (fscanf(file, "%ld", &number) != 1)
        number = -1; /* the file contains "running" */
    fclose(file);
    for (size_t i = 0; number >= 0 && i < sizeof(waits) / sizeof(*waits); i++)
        if (waits[i].number == number)
            return waits[i].what;
    return number >= 0 ? "is in the kernel" : NULL;
}

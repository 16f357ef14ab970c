/* The definitions of call paths; see path.h. */
#include "tracer/core/info.h"
#include "tracer/core/process.h"
#include "tracer/core/thread.h"
#include "tracer/python/cpython/string_view.h"
#include "tracer/python/path.h"
#include "tracer/python/path_code.h"
#include "tracer/python/path_tree.h"
#include "tracer/record/python.h"

#include <string.h>

/* The limit of names in a trace; see pinsight_utf8_copy(). */
#define LONGEST_TEXT 2000
/* The number of definitions for which the clock is read once, to find out whether a session
 * listens. */
#define TOGETHER 32

/* Writes a character as UTF-8, or a lone surrogate as a backslash escape. Returns the number of
 * bytes, at most 6. */
static size_t put(char *to, Py_UCS4 character) {
    static const char digits[] = "0123456789abcdef";
    if (character >= 0xd800 && character < 0xe000) {
        to[0] = '\\';
        to[1] = 'u';
        for (int i = 0; i < 4; i++)
            to[2 + i] = digits[character >> (12 - 4 * i) & 15];
        return 6;
    }
    if (character < 0x80) {
        to[0] = (char)character;
        return 1;
    }
    size_t more = character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
    to[0] = (char)(0xff00 >> (more + 1) | character >> (6 * more));
    for (size_t i = 1; i <= more; i++)
        to[i] = (char)(0x80 | (character >> (6 * (more - i)) & 63));
    return more + 1;
}

/* Returns the characters of a code object's name or file if they are UTF-8 already, or else NULL.
 * The interpreter checks that they are strings. */
static inline const char *plain_text(PyObject *text) {
    struct pinsight_string_view view;
    if (PINSIGHT_UNLIKELY(!pinsight_string_is_ascii(text, &view) ||
                          (size_t)view.length - 1 >= LONGEST_TEXT))
        return NULL;
    return view.data;
}

/* Returns a Python string as UTF-8 in `buffer`, or "?" if it is empty or no string. */
static __attribute__((noinline)) const char *copy_text(PyObject *text,
                                                       char buffer[LONGEST_TEXT + 8]) {
    struct pinsight_string_view view = pinsight_string_view_of(text);
    size_t used = 0;
    for (Py_ssize_t i = 0; i < view.length; i++) {
        size_t more = put(buffer + used, PyUnicode_READ(view.kind, view.data, i));
        if (used + more > LONGEST_TEXT)
            break;
        used += more;
    }
    buffer[used] = '\0';
    return used ? buffer : "?";
}

/* Common values of many definitions. */
struct common {
    uint64_t process; /* upper half of an identity */
    const PyObject *file;
    const char *file_text; /* text of `file` if it is plain */
};

static inline void record_code(const struct pinsight_path_code *known, const struct common *common,
                               const char *name, const char *file) {
    pinsight_record_python_code_info(known->number, common->process | known->number, name, file,
                                     known->code->co_firstlineno, "?");
}

static __attribute__((noinline)) void copy_code(const struct pinsight_path_code *known,
                                                const struct common *common) {
    char name[LONGEST_TEXT + 8], file[LONGEST_TEXT + 8];
    record_code(known, common, copy_text(pinsight_path_code_name(known->code), name),
                copy_text(known->code->co_filename, file));
}

/* Needs no GIL. The characters of strings never change, and their caches are not read. */
static inline void define_code(const struct pinsight_path_code *known, struct common *common) {
    const char *name = plain_text(pinsight_path_code_name(known->code));
    if (known->code->co_filename != common->file) {
        common->file = known->code->co_filename;
        common->file_text = plain_text(known->code->co_filename);
    }
    if (PINSIGHT_LIKELY(name && common->file_text))
        record_code(known, common, name, common->file_text);
    else
        copy_code(known, common);
}

static bool is_wanted(void) {
    return pinsight_record_python_path_info_enabled() && !pinsight_stuck() &&
           !pinsight_process.silent && pinsight_path_is_open();
}

/* Records the definition of a code object, if it lives and the session lacks it. The texts are
 * copied, because another thread may free them. */
static void define_code_again(uint32_t number, uint32_t session_version) {
    char name[LONGEST_TEXT + 8], file[LONGEST_TEXT + 8];
    const char *name_text = NULL, *file_text = NULL;
    int32_t line = 0;
    pinsight_path_lock();
    struct pinsight_path_code *known = pinsight_path_code_numbered(number);
    if (known && atomic_load(&known->defined) != session_version) {
        name_text = copy_text(pinsight_path_code_name(known->code), name);
        file_text = copy_text(known->code->co_filename, file);
        line = known->code->co_firstlineno;
        atomic_store(&known->defined, session_version);
    }
    pinsight_path_unlock();
    if (name_text)
        pinsight_record_python_code_info(number,
                                         (uint64_t)(uint32_t)pinsight_process.pid << 32 | number,
                                         name_text, file_text, line, "?");
}

void pinsight_path_define_again(uint32_t path) {
    uint32_t session_version = pinsight_session_version();
    for (uint32_t depth = 0; path && depth < PINSIGHT_PATH_DEEPEST; depth++) {
        struct pinsight_path_node *node = pinsight_path_node(path);
        if (atomic_load(&node->defined) == session_version || !is_wanted())
            return; /* so are the paths around it */
        uint64_t before = pinsight_info_before();
        define_code_again(node->code, session_version);
        pinsight_record_python_path_info(path, node->parent, node->code, node->line);
        atomic_store(&node->defined, session_version);
        pinsight_info_after(before);
        path = node->parent;
    }
}

bool pinsight_path_define(struct pinsight_path_thread *thread, uint32_t from,
                          uint32_t session_version) {
    if (from == thread->depth)
        return true;
    /* This also records the process. */
    if (!is_wanted() || (thread->session_version != session_version && !pinsight_thread_get()))
        return false;
    struct common common = {.process = (uint64_t)(uint32_t)pinsight_process.pid << 32};
    uint64_t before = 0;
    uint32_t together = 0;
    for (const struct pinsight_path_level *level = pinsight_path_levels(thread) + from,
                                          *end = thread->levels + thread->room;
         level < end; level++) {
        struct pinsight_path_node *node = pinsight_path_node(level->path);
        if (!level->path ||
            atomic_load_explicit(&node->defined, memory_order_relaxed) == session_version)
            continue;
        if (together == 0)
            before = pinsight_info_before();
        /* Marked after it was recorded. Another thread that needs it meanwhile records it, too. */
        struct pinsight_path_code *known = pinsight_path_code_at(level->known);
        if (level->known &&
            atomic_load_explicit(&known->defined, memory_order_relaxed) != session_version) {
            define_code(known, &common);
            atomic_store_explicit(&known->defined, session_version, memory_order_relaxed);
        }
        pinsight_record_python_path_info(level->path, node->parent, node->code, node->line);
        atomic_store_explicit(&node->defined, session_version, memory_order_relaxed);
        if (++together == TOGETHER) {
            pinsight_info_after(before);
            together = 0;
            if (!is_wanted())
                return false;
        }
    }
    if (together)
        pinsight_info_after(before);
    return true;
}

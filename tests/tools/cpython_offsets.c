/*
 * Where PInsight takes things to be in CPython's structures, by the headers that it is compiled
 * with, beside what the running interpreter says of itself (_Py_DebugOffsets, CPython 3.13 and
 * later). Loaded with ctypes: each call of pinsight_test_offset gives one pair.
 */
#include "tracer/python/cpython/frame.h"
#include "tracer/python/cpython/gil.h"

#include <internal/pycore_runtime.h>

struct pair {
    const char *name;
    uint64_t ours, theirs;
};

#define PAIR(part, member, offset)                                                                 \
    { #part "." #member, offset, _PyRuntime.debug_offsets.part.member }

__attribute__((visibility("default"))) int pinsight_test_offset(unsigned number,
                                                                struct pair *pair) {
    const struct pair all[] = {
        PAIR(interpreter_state, ceval_gil, offsetof(PyInterpreterState, ceval.gil)),
        PAIR(interpreter_state, gil_runtime_state_locked,
             offsetof(PyInterpreterState, _gil) + offsetof(pinsight_gil, locked)),
        PAIR(interpreter_state, gil_runtime_state_holder,
             offsetof(PyInterpreterState, _gil) + offsetof(pinsight_gil, last_holder)),
        PAIR(thread_state, interp, offsetof(PyThreadState, interp)),
        PAIR(thread_state, current_frame, offsetof(PyThreadState, current_frame)),
        PAIR(thread_state, thread_id, offsetof(PyThreadState, thread_id)),
        PAIR(thread_state, native_thread_id, offsetof(PyThreadState, native_thread_id)),
        PAIR(interpreter_frame, size, sizeof(pinsight_frame)),
        PAIR(interpreter_frame, previous, offsetof(pinsight_frame, previous)),
        PAIR(interpreter_frame, executable, offsetof(pinsight_frame, f_executable)),
        PAIR(interpreter_frame, instr_ptr, offsetof(pinsight_frame, instr_ptr)),
        PAIR(interpreter_frame, owner, offsetof(pinsight_frame, owner)),
        PAIR(code_object, filename, offsetof(PyCodeObject, co_filename)),
        PAIR(code_object, name, offsetof(PyCodeObject, co_name)),
        PAIR(code_object, qualname, offsetof(PyCodeObject, co_qualname)),
        PAIR(code_object, linetable, offsetof(PyCodeObject, co_linetable)),
        PAIR(code_object, firstlineno, offsetof(PyCodeObject, co_firstlineno)),
        PAIR(code_object, co_code_adaptive, offsetof(PyCodeObject, co_code_adaptive)),
        PAIR(tuple_object, ob_item, offsetof(PyTupleObject, ob_item)),
        PAIR(bytes_object, ob_sval, offsetof(PyBytesObject, ob_sval)),
        PAIR(unicode_object, length, offsetof(PyASCIIObject, length)),
        PAIR(unicode_object, asciiobject_size, sizeof(PyASCIIObject)),
#if PY_VERSION_HEX >= 0x030e0000
        PAIR(gen_object, gi_iframe, offsetof(PyGenObject, gi_iframe)),
        PAIR(gen_object, gi_frame_state, offsetof(PyGenObject, gi_frame_state)),
#endif
    };
    if (number >= sizeof all / sizeof *all)
        return 0;
    *pair = all[number];
    return 1;
}

#!/usr/bin/env python3
"""Writes what the interpreter tells of a program as a file that the unit test balance_replay replays.

    record_callbacks.py PROGRAM [ARGUMENT...] > tests/data/callbacks/NAME.txt

Needs CPython 3.12 or 3.13. Only functions of the program's own file are recorded, and what they call of C. The numbers at
the end are the interpreter's events, counted here: what the program itself knows of its calls has to agree. A program
that was longer than needed may be shortened by hand; the numbers then say what it did.
"""
import collections
import ctypes
import runpy
import sys
import types

BEGINS = {"PY_START": "start", "PY_RESUME": "resume", "PY_THROW": "throw"}
ENDS = {"PY_RETURN": "return", "PY_YIELD": "yield", "PY_UNWIND": "unwind"}
C_ENDS = {"C_RETURN": "c_return", "C_RAISE": "c_raise"}
PAUSES = 0x20 | 0x80 | 0x200  # CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR
FRAME_AT = 3 * ctypes.sizeof(ctypes.c_void_p)  # of f_frame within PyFrameObject

monitoring = sys.monitoring
lines, calls, numbers = [], collections.Counter(), {}


def frame_number():
    """A number for the interpreter's frame (not the frame object, which has a life of its own)."""
    where = ctypes.c_void_p.from_address(id(sys._getframe(2)) + FRAME_AT).value
    return numbers.setdefault(where, len(numbers))


def function_name(code):
    return code.co_qualname.replace(" ", "") + ("*" if code.co_flags & PAUSES else "")


def callee_name(callable):
    return getattr(callable, "__qualname__", type(callable).__qualname__).replace(" ", "")


def function_event(word, program):
    def record(code, *rest):
        if code.co_filename == program:
            lines.append("%s %s %d" % (word, function_name(code), frame_number()))
            calls[function_name(code)] += word == "start"
    return record


def call_event(word, program):
    def record(code, offset, callable, first):
        if code.co_filename == program and not isinstance(callable, (types.FunctionType, types.MethodType)):
            lines.append("%s %s %s %d" % (word, function_name(code), callee_name(callable), frame_number()))
            calls[callee_name(callable)] += word == "call"
    return record


def main():
    program = sys.argv[1]
    sys.argv = sys.argv[1:]
    tool, events = monitoring.PROFILER_ID, monitoring.events
    monitoring.use_tool_id(tool, "record_callbacks")
    for names, make in ((dict(BEGINS, **ENDS), function_event), (dict(C_ENDS, CALL="call"), call_event)):
        for name, word in names.items():
            monitoring.register_callback(tool, getattr(events, name), make(word, program))
    wanted = [*BEGINS, *ENDS, "CALL"]
    monitoring.set_events(tool, sum(getattr(events, name) for name in wanted))
    try:
        runpy.run_path(program, run_name="__main__")
    finally:
        monitoring.set_events(tool, 0)
        print("# %s, CPython %d.%d" % ((program.rpartition("/")[2],) + sys.version_info[:2]))
        print(*lines, sep="\n")
        for name, number in sorted(calls.items()):
            print("calls %s %d" % (name, number))
        print("lost 0\ndropped 0")


if __name__ == "__main__":
    main()

"""The oracle of the tracer's tests: the same record of a program, made in pure Python, as slow and as plain as that is.

    python oracle.py OUTPUT PROGRAM [ARGUMENT...]

runs PROGRAM as a script and writes to OUTPUT, as JSON, what each thread did: begins and ends of Python
functions ("begin", "end") and of what Python calls in C ("c_begin", "c_end"), each with a name and with how
it happened ("?" where the interpreter does not tell a profile function); a begin also has the source file, the
first line, and a number that is the same whenever one execution of a generator or coroutine goes on. From 3.12 on it listens to
sys.monitoring, before to sys.setprofile. It shares nothing with the tracer, its decisions about what is C and what that is called included.
"""
import ctypes
import functools
import json
import opcode
import os
import runpy
import sys
import threading
import types
import _thread

HERE = __file__
MONITORING = sys.version_info >= (3, 12)
HEAP_TYPE = 1 << 9
GENERATOR = 0x20 | 0x80 | 0x200  # CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR


# The names of Python functions. One that was compiled from text, as namedtuple and dataclass do, is called by its class.

names = {}  # by the identity of a code object, which is kept


def classes_of(first):
    return type.__getattribute__(first if isinstance(first, type) else type(first), "__mro__")


def generated_name(code, frame):
    for cls in classes_of(frame.f_locals.get(code.co_varnames[0])):
        for key, entry in type.__getattribute__(cls, "__dict__").items():
            function = entry.__func__ if type(entry) is staticmethod else entry
            if type(function) is types.FunctionType and function.__code__ is code:
                return "%s.%s" % (type.__getattribute__(cls, "__qualname__"), key)
    return None


def function_name(code, frame):
    if id(code) not in names:
        generated = code.co_filename.startswith("<string") and code.co_argcount
        names[id(code)] = code, generated and generated_name(code, frame) or getattr(code, "co_qualname", code.co_name)
    return names[id(code)][1]


# What is written in C, and its name.

def unwrapped(callable_):
    while type(callable_) is types.MethodType:
        callable_ = callable_.__func__
    return callable_


def made_by_class_statement(cls):
    """A class statement gives a type whose C name is the bare name; C code gives one with its module."""
    if not type.__getattribute__(cls, "__flags__") & HEAP_TYPE:
        return False
    tp_name = ctypes.c_char_p.from_address(id(cls) + object.__basicsize__ + ctypes.sizeof(ctypes.c_ssize_t)).value
    return b"." not in tp_name


def found_in(cls, name):
    for base in type.__getattribute__(cls, "__mro__"):
        if name in type.__getattribute__(base, "__dict__"):
            return base, type.__getattribute__(base, "__dict__")[name]
    return None, None


def makes_objects_in_c(cls):
    """A class statement derives from a type in C and has nothing in Python that makes its objects."""
    makers = [found_in(cls, name)[0] for name in ("__new__", "__init__")]
    return not any(made_by_class_statement(maker) for maker in makers) and makers != [object, object]


def is_c(callable_):
    callable_ = unwrapped(callable_)
    if type(callable_) is types.FunctionType:
        return False
    if issubclass(type(callable_), type):
        if type(found_in(type(callable_), "__call__")[1]) is types.FunctionType:
            return False
        return not made_by_class_statement(callable_) or makes_objects_in_c(callable_)
    return type(found_in(type(callable_), "__call__")[1]) is not types.FunctionType


def dotted(module, name):
    return name if module in (None, "builtins") else "%s.%s" % (module, name)


def type_name(cls):
    return dotted(type.__getattribute__(cls, "__module__"), type.__getattribute__(cls, "__qualname__"))


def c_definer(cls, name):
    """The class of its bases that has a method of this name from C; classes in Python may stand before it."""
    for base in type.__getattribute__(cls, "__mro__"):
        value = type.__getattribute__(base, "__dict__").get(name)
        if isinstance(value, (types.MethodDescriptorType, types.ClassMethodDescriptorType, types.BuiltinFunctionType)):
            return base
        if type(value) is staticmethod and isinstance(value.__func__, types.BuiltinFunctionType) \
                and not made_by_class_statement(base):
            return base
    return None


def c_name(callable_):
    callable_ = unwrapped(callable_)
    kind = type(callable_)
    if issubclass(kind, type):
        return type_name(callable_)
    if isinstance(callable_, types.BuiltinFunctionType):
        owner, name = callable_.__self__, callable_.__name__
        if owner is None or type(owner) is types.ModuleType:
            return dotted(callable_.__module__, callable_.__qualname__)
        definer = c_definer(owner, name) if issubclass(type(owner), type) else None
        return type_name(definer or c_definer(type(owner), name) or type(owner)) + "." + name
    if kind in (types.MethodDescriptorType, types.WrapperDescriptorType, types.MethodWrapperType,
                types.ClassMethodDescriptorType):
        return type_name(callable_.__objclass__) + "." + callable_.__name__
    if type_name(kind) == "numpy.ufunc":
        # One that numpy.frompyfunc made has no name that tells more than its type's.
        return "numpy.ufunc" if "(vectorized)" in callable_.__name__ else "numpy." + callable_.__name__
    if kind.__weakrefoffset__ == 0 and kind.__name__ != "_ArrayFunctionDispatcher":
        return type_name(kind)
    name = own_string(callable_, "__qualname__") or own_string(callable_, "__name__")
    if name is None or kind is functools.partial:
        return type_name(kind)
    return dotted(own_string(callable_, "__module__") or type.__getattribute__(kind, "__module__"), name)


def own_string(thing, attribute):
    """What the instance itself has under this name, or what its type, in C, works out for it."""
    try:
        value = object.__getattribute__(thing, "__dict__").get(attribute)
    except AttributeError:
        value = None
    if type(value) is str:
        return value
    descriptor = found_in(type(thing), attribute)[1]
    if type(descriptor) in (types.GetSetDescriptorType, types.MemberDescriptorType):
        value = descriptor.__get__(thing)
        return value if type(value) is str else None
    return None


# What a thread did, kept balanced: an end without a begin is dropped, a begin without an end is closed.

class Thread:
    count = 0

    def __init__(self, main):
        self.main = main
        self.moments = []
        self.open = []
        self.executions = {}
        self.lost = 0
        self.dropped = 0

    def close_from(self, index):
        while len(self.open) > index:
            _, kind, name = self.open.pop()
            self.moments.append(("end" if kind == "begin" else "c_end", name, "lost"))
            self.lost += 1

    def execution(self, frame, how):
        """The number of the execution that has this frame; of one that goes on it is the one of its start."""
        if how == "start" or frame not in self.executions:
            Thread.count += 1
            self.executions[frame] = Thread.count
        return self.executions[frame]

    def begin(self, frame, name, how, file, line):
        for index in range(len(self.open) - 1, -1, -1):
            if self.open[index][0] == frame:
                if self.open[index][1] == "begin":
                    self.close_from(index)
                    break
            else:
                break
        self.open.append((frame, "begin", name))
        self.moments.append(("begin", name, how, file, line, self.execution(frame, how)))

    def end(self, frame, name, how):
        for index in range(len(self.open) - 1, -1, -1):
            if self.open[index][:2] == (frame, "begin"):
                self.close_from(index + 1)
                self.open.pop()
                self.moments.append(("end", name, how))
                if how in ("return", "unwind"):
                    self.executions.pop(frame, None)
                return
        self.dropped += 1

    def c_begin(self, frame, name):
        self.open.append((frame, "c_begin", name))
        self.moments.append(("c_begin", name, None))

    def c_end(self, frame, name, how):
        for index in range(len(self.open) - 1, -1, -1):
            if self.open[index] == (frame, "c_begin", name):
                self.close_from(index + 1)
                self.open.pop()
                self.moments.append(("c_end", name, how))
                return
            if self.open[index][:2] == (frame, "begin"):
                break
        self.dropped += 1


class Oracle:
    def __init__(self):
        self.threads = []
        self.local = _thread._local()
        self.main = threading.get_ident()

    def thread(self):
        try:
            return self.local.thread
        except AttributeError:
            thread = self.local.thread = Thread(threading.get_ident() == self.main)
            self.threads.append(thread)
            return thread

    def result(self):
        for thread in self.threads:
            thread.close_from(0)
        return {
            "mechanism": "sys.monitoring" if MONITORING else "profile function",
            "lost": sum(thread.lost for thread in self.threads),
            "dropped": sum(thread.dropped for thread in self.threads),
            "threads": [{"main": thread.main, "moments": thread.moments} for thread in self.threads],
        }


# From 3.12 on.

class MonitoringOracle(Oracle):
    TOOL = 4

    def start(self):
        monitoring = sys.monitoring
        events = monitoring.events
        if monitoring.get_tool(self.TOOL) is None:
            monitoring.use_tool_id(self.TOOL, "oracle")
        for event, callback in (
                (events.PY_START, self.entered("start")), (events.PY_RESUME, self.entered("resume")),
                (events.PY_THROW, self.entered("throw")), (events.PY_RETURN, self.left("return")),
                (events.PY_YIELD, self.left("yield")), (events.PY_UNWIND, self.left("unwind")),
                (events.CALL, self.called), (events.C_RETURN, self.c_left("return")),
                (events.C_RAISE, self.c_left("raise"))):
            monitoring.register_callback(self.TOOL, event, callback)
        monitoring.set_events(self.TOOL, events.PY_START | events.PY_RESUME | events.PY_THROW
                              | events.PY_RETURN | events.PY_YIELD | events.PY_UNWIND
                              | events.CALL | events.C_RETURN | events.C_RAISE)

    def stop(self):
        sys.monitoring.set_events(self.TOOL, 0)

    def adopt(self):
        pass

    def entered(self, how):
        def callback(code, offset, *ignored):
            if code.co_filename != HERE:
                frame = sys._getframe(1)
                self.thread().begin(id(frame), function_name(code, frame), how, code.co_filename, code.co_firstlineno)
        return callback

    def left(self, how):
        def callback(code, offset, *ignored):
            if code.co_filename != HERE:
                frame = sys._getframe(1)
                self.thread().end(id(frame), function_name(code, frame), how)
        return callback

    def called(self, code, offset, callable_, first):
        if code.co_filename != HERE and is_c(callable_):
            self.thread().c_begin(id(sys._getframe(1)), c_name(callable_))

    def c_left(self, how):
        def callback(code, offset, callable_, first):
            if code.co_filename != HERE and is_c(callable_):
                self.thread().c_end(id(sys._getframe(1)), c_name(callable_), how)
        return callback


# Up to 3.11.

def opcode_at(frame, offset=0):
    where = frame.f_lasti + offset
    code = frame.f_code.co_code
    if not 0 <= where < len(code):
        return None, None
    return opcode.opname[code[where]], code[where + 1]


def begin_how(frame):
    """Up to 3.10 it is not told whether an exception was thrown in."""
    if not frame.f_code.co_flags & GENERATOR:
        return "start"
    name, argument = opcode_at(frame)
    if name is None:
        return "start"
    if name == "RESUME":
        return "start" if argument & 3 == 0 else "resume"
    return "throw" if sys.version_info >= (3, 11) else "resume"


def end_how(frame, argument):
    """What a generator's end was is not told where it gave None."""
    if argument is None:
        return "?"
    if not frame.f_code.co_flags & GENERATOR:
        return "return"
    return "yield" if opcode_at(frame)[0] in ("YIELD_VALUE", "YIELD_FROM", "SEND", "RESUME") else "?"


class ProfileOracle(Oracle):
    def start(self):
        self.on = True
        if not hasattr(self, "start_new_thread"):
            self.start_new_thread = _thread.start_new_thread
            _thread.start_new_thread = _thread.start_new = threading._start_new_thread = self.start_thread
        sys.setprofile(self.callback)

    def stop(self):
        self.on = False
        sys.setprofile(None)

    def adopt(self):
        if self.on:
            sys.setprofile(self.callback)

    def start_thread(self, function, arguments, keywords=None):
        """Stands in for _thread.start_new_thread, so that a thread is seen from its first call on."""
        def boot():
            sys.setprofile(self.callback if self.on else None)
            return function(*arguments, **(keywords or {}))
        thread, frame = self.thread(), id(sys._getframe(1))
        if not self.on:
            return self.start_new_thread(boot, ())
        thread.c_begin(frame, "_thread.start_new_thread")
        identity = self.start_new_thread(boot, ())
        thread.c_end(frame, "_thread.start_new_thread", "return")
        return identity

    def callback(self, frame, event, argument):
        code = frame.f_code
        if code.co_filename == HERE:
            return
        name = function_name(code, frame)
        if event == "call":
            if opcode_at(frame)[0] == "RETURN_GENERATOR":  # thrown into before it ran
                self.thread().executions.pop(id(frame), None)
            self.thread().begin(id(frame), name, begin_how(frame), code.co_filename,
                                code.co_firstlineno)
        elif event == "return":
            self.thread().end(id(frame), name, end_how(frame, argument))
        elif event == "c_call":
            self.thread().c_begin(id(frame), c_name(argument))
        else:
            self.thread().c_end(id(frame), c_name(argument), "return" if event == "c_return" else "raise")


def run(output, program, arguments):
    oracle = MonitoringOracle() if MONITORING else ProfileOracle()
    control = types.ModuleType("pinsight_oracle")
    control.start, control.stop, control.adopt = oracle.start, oracle.stop, oracle.adopt
    sys.modules["pinsight_oracle"] = control
    sys.argv = [program] + arguments
    sys.path[0] = os.path.dirname(os.path.abspath(program))
    status = 0
    oracle.on = False
    if "--late" not in arguments:
        oracle.start()
    try:
        runpy.run_path(program, run_name="__main__")
    except SystemExit as end:
        status = end.code
    finally:
        oracle.stop()
        with open(output, "w", encoding="utf-8", errors="surrogatepass") as file:
            json.dump(oracle.result(), file)
    sys.exit(status)


if __name__ == "__main__":
    run(sys.argv[1], sys.argv[2], sys.argv[3:])

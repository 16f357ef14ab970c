"""Properties of NumPy's types. Behind each line stands what the interpreter calls for it, once each time."""
import collections
import dis
import operator
import re
import sys

import numpy as np


def classes(base):
    class Sub(base):
        def own(self):
            return super().size  # ndarray.size

    class Method(base):
        @property
        def T(self):
            return "Python"

    return Sub, Method


class Plain:
    T = real = 1

    def __init__(self):
        self.ndim = 2


class Proxy:
    def __init__(self, inner):
        self.inner = inner

    def __getattr__(self, name):
        return getattr(self.inner, name)


class Attributes:
    """C that asks for another attribute than the one that is written."""
    other = property(operator.attrgetter("inner.T"))

    def __init__(self, inner):
        self.inner = inner


def accesses(a, c, plain, Sub, Method):
    a.T  # ndarray.T
    a.T.T.real  # ndarray.T ndarray.T ndarray.real
    a.T.copy()  # ndarray.T
    a.size + a.ndim  # ndarray.size ndarray.ndim
    (a.ndim +  # ndarray.ndim
     a.size)  # ndarray.size
    [x.ndim for x in (a, a)]  # ndarray.ndim ndarray.ndim
    a.shape = (2, 2)  # ndarray.shape.__set__
    a.shape, a.strides = (4,), (8,)  # ndarray.shape.__set__ ndarray.strides.__set__
    c.real[0] = 2  # ndarray.real
    c.imag = a.real  # ndarray.real ndarray.imag.__set__
    c.imag += 1  # ndarray.imag ndarray.imag.__set__
    a.flat[0]  # ndarray.flat
    a.flat = 1  # ndarray.flat.__set__
    a.data.nbytes  # ndarray.data
    a.view(Sub).T  # ndarray.T
    a.view(Sub).own()
    a.view(Method).T
    a.dtype.name  # ndarray.dtype
    for thing in (plain, plain, a, plain):
        thing.T  # ndarray.T
        thing.real = thing.ndim  # ndarray.ndim ndarray.real.__set__
    try:
        a.shape = 7  # ndarray.shape.__set__
    except ValueError:
        pass
    try:
        del a.shape  # ndarray.shape.__delete__
    except AttributeError:
        pass
    try:
        a.T = 1
    except AttributeError:
        pass
    try:
        a.view("M8[D]").data  # ndarray.data
    except ValueError:
        pass
    try:
        a.absent
    except AttributeError:
        pass


def of_scalars():
    np.float64(2).real  # generic.real
    np.complex128(1j).imag.T  # generic.imag generic.T
    np.int64(3).dtype  # generic.dtype


def c_calls_c(a):
    """Functions of properties that no access of the interpreter stands for."""
    getattr(a, "T")
    setattr(a, "shape", (4,))
    hasattr(a, "real")
    operator.attrgetter("T", "real")(a)
    Proxy(a).T
    Attributes(a).other
    np.ndarray.T.__get__(a)
    np.transpose(a)
    str(a)


def main(times):
    a, c, plain, both = np.ones(4), np.ones(4, complex), Plain(), classes(np.ndarray)
    for _ in range(times):
        accesses(a, c, plain, *both)
        of_scalars()
        c_calls_c(a)


# ---- the oracle: properties written in Python, which count who asks ----

counts = collections.Counter()


def counting(name, own):
    def who(way):
        frame = sys._getframe(2)
        names = [dis.opname[opcode] for opcode in frame.f_code.co_code[:frame.f_lasti + 1:2]]
        does = [name for name in names if name != "CACHE"][-1]
        if frame.f_code.co_filename == __file__ and re.match("(LOAD|STORE|DELETE)_(SUPER_)?(ATTR|METHOD)", does):
            counts[frame.f_lineno, "ndarray." + name + way] += 1

    def get(self):
        who("")
        return own.__get__(self)

    def put(self, value):
        if name != "T":  # it has no function for that
            who(".__set__")
        own.__set__(self, value)

    def delete(self):
        who(".__delete__")
        own.__delete__(self)
    return property(get, put, delete)


def oracle(times):
    """Runs the program with them, and returns {(line, name): count}."""
    names = [name for name, value in vars(np.ndarray).items() if type(value) is type(np.ndarray.T)]
    Oracle = type("Oracle", (np.ndarray,), {name: counting(name, getattr(np.ndarray, name)) for name in names})
    a, c, plain, both = np.ones(4).view(Oracle), np.ones(4, complex).view(Oracle), Plain(), classes(Oracle)
    counts.clear()
    for _ in range(times):
        accesses(a, c, plain, *both)
    return counts


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)

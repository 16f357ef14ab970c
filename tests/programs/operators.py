"""Operators of NumPy's types. Behind each line stands what the interpreter calls for it, once each time."""
import sys

import numpy as np


class Before(np.ndarray):
    pass


class Python(np.ndarray):
    def __sub__(self, other):
        return "Python"


class Reflected(np.ndarray):
    def __radd__(self, other):
        return "Python"


def operators(a, b, after, records, masked):
    a + b  # ndarray.__add__
    a - b  # ndarray.__sub__
    a * 2  # ndarray.__mul__
    2.0 * a  # ndarray.__rmul__
    [1, 2, 3, 4] + a  # ndarray.__radd__
    a @ b  # ndarray.__matmul__
    a / b  # ndarray.__truediv__
    a // b  # ndarray.__floordiv__
    a % b  # ndarray.__mod__
    a ** 2  # ndarray.__pow__
    2 ** a  # ndarray.__rpow__
    records["n"] << 1  # ndarray.__getitem__ ndarray.__lshift__
    records["n"] & 3 | 4 ^ records["n"]  # ndarray.__getitem__ ndarray.__and__ ndarray.__getitem__ ndarray.__rxor__ ndarray.__or__
    -a  # ndarray.__neg__
    +a  # ndarray.__pos__
    ~records["n"]  # ndarray.__getitem__ ndarray.__invert__
    a == b  # ndarray.__eq__
    a < b  # ndarray.__lt__
    0 >= a  # ndarray.__le__
    1.0 in a  # ndarray.__contains__
    a[1]  # ndarray.__getitem__
    a[1:3]  # ndarray.__getitem__
    a[::2, None]  # ndarray.__getitem__
    a[1] = 3  # ndarray.__setitem__
    a[1:3] = 2  # ndarray.__setitem__
    a[a > 5]  # ndarray.__gt__ ndarray.__getitem__
    a[1:3] += 1  # ndarray.__getitem__ ndarray.__iadd__ ndarray.__setitem__
    a += 1  # ndarray.__iadd__
    a *= 1  # ndarray.__imul__
    a **= 1  # ndarray.__ipow__
    (a +  # ndarray.__add__
     b *  # ndarray.__mul__
     a)
    after + after  # ndarray.__add__
    after + a  # ndarray.__add__
    a + after  # ndarray.__add__
    after @ after  # ndarray.__matmul__
    after[1] = 2  # ndarray.__setitem__
    after - a  # ndarray.__sub__
    a.view(Before) * 3  # ndarray.__mul__
    a.view(Python) + a  # ndarray.__add__
    a.view(Python) - a
    a + a.view(Reflected)
    records[0]  # ndarray.__getitem__
    records[0]["n"]  # ndarray.__getitem__ void.__getitem__
    np.float64(2) * 3  # float64.__mul__
    np.float64(2) + np.float64(3)  # float64.__add__
    2 - np.float32(2)  # float32.__rsub__
    np.bool_(1) & np.bool_(0)  # bool.__and__
    np.float64(2) < 3  # float64.__lt__
    -np.int64(2)  # int64.__neg__
    np.float64(2) ** 2  # float64.__pow__
    np.datetime64(1, "D") - np.datetime64(0, "D")  # generic.__sub__
    masked[1]
    try:
        a + "text"  # ndarray.__add__
    except TypeError:
        pass
    try:
        del a[1]  # ndarray.__delitem__
    except ValueError:
        pass


def c_calls_c(a, objects):
    """Operators that no instruction of the interpreter stands for."""
    objects + 1  # ndarray.__add__
    objects.sum()
    sorted([np.float64(2), np.float64(1)])
    a.sum()
    np.add(a, a)
    list(a)
    a in [1, 2]
    {np.float64(1): 1}[np.float64(1.0)]


def main(times):
    class After(np.ndarray):
        pass

    a, b = np.ones(4), np.ones(4)
    records = np.ones(3, [("n", int), ("x", float)])
    objects = np.array([np.float64(1), np.float64(2)], object)
    for _ in range(times):
        operators(a.copy(), b, a.view(After), records, np.ma.array([1, 2, 3]))
        c_calls_c(a[:1], objects)  # ndarray.__getitem__


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)

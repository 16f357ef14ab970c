"""What NumPy decides by the addresses in types' slots: who does an operation where several could."""
import tracemalloc

import numpy as np


class Refuses(np.ndarray):
    __array_ufunc__ = None


class RefusesAndReflects(np.ndarray):
    __array_ufunc__ = None

    def __radd__(self, other):
        return "radd"


class Low(np.ndarray):
    __array_priority__ = -5


class Later(np.ndarray):
    pass


class Scalar(np.float64):
    pass


class High(np.float64):
    __array_priority__ = 99


class ScalarRefuses(np.float64):
    __array_ufunc__ = None
    __array_priority__ = 99


class Foreign:
    __array_ufunc__ = None

    def __radd__(self, other):
        return "Foreign"

    __rmatmul__ = __radd__


ARRAYS = ("a + c", "c + a", "a == c", "a @ c", "c * 2", "np.float64(2) * c", "a.__add__(c)", "c + c", "a ** c", "c ** a",
          "c < a", "a - c", "a | c", "other + c", "c + other", "c[1]", "a // c", "a.__iadd__(c)", "np.str_('x') + c",
          "np.ndarray.__add__(a, c)", "c + x", "a + x", "a @ x")
SCALARS = ("p + q", "q + p", "p + r", "r + p", "r + q", "p + a", "r + a", "a + r", "np.float32(1) + r", "1.0 + r",
           "np.float64(1) + r", "np.float64(1) + q", "p ** q", "p ** r", "p < r", "p % q", "r + 2.0", "p + x")


def say(text, **names):
    try:
        result = eval(text, globals(), names)
    except Exception as error:
        result = "%s: %s" % (type(error).__name__, error)
    print(text, "=", type(result).__name__, result)


def chain():
    """The peak of memory, in arrays, of additions whose temporaries NumPy takes again."""
    arrays = [np.ones(1 << 19) for _ in range(5)]
    a, b, c, d, e = arrays
    tracemalloc.start()
    a + b + c + d + e
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return round(peak / a.nbytes, 1)


if __name__ == "__main__":
    for turn in range(3):
        a = np.ones(3)
        for kind in (Refuses, RefusesAndReflects, Low, Later):
            c = a.view(kind)
            print(kind.__name__)
            for text in ARRAYS:
                say(text, a=a, c=c, other=a.view(Later), x=Foreign())
        for text in SCALARS:
            say(text, p=Scalar(1.5), q=High(2.5), r=ScalarRefuses(3.5), a=a, x=Foreign())
        if turn == 1:
            Later.__array_ufunc__ = None
    print("peak", chain())

"""ctypes: functions, callbacks into Python, errors."""
import ctypes
import gc

gc.disable()
libc = ctypes.CDLL(None)
Compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))


def compare(left, right):
    return left[0] - right[0]


def main():
    libc.strlen.restype = ctypes.c_size_t
    for _ in range(3):
        assert libc.strlen(b"four") == 4
        values = (ctypes.c_int * 5)(5, 2, 4, 1, 3)
        libc.qsort(values, 5, ctypes.sizeof(ctypes.c_int), Compare(compare))
        assert list(values) == [1, 2, 3, 4, 5]
        try:
            libc.strlen(object())
        except ctypes.ArgumentError:
            pass
        ctypes.string_at(b"abc", 2)


main()

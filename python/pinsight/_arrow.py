"""Reads Arrow's C structures with ctypes alone, for tables in a notebook and for rows as tuples.

The layout is that of Arrow's C data interface. The columns are those of libpinsight-data: numbers
of 32 and 64 bits, bits, and texts with a dictionary.
"""
import ctypes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterator


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


Schema._fields_ = [
    ("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_void_p), ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64), ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.POINTER(Schema)), ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))),
    ("private_data", ctypes.c_void_p)]
Array._fields_ = [
    ("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64), ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))), ("dictionary", ctypes.POINTER(Array)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))), ("private_data", ctypes.c_void_p)]
Stream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema))),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Array))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(Stream))),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))), ("private_data", ctypes.c_void_p)]

_NUMBERS = {b"l": ctypes.c_int64, b"i": ctypes.c_int32}


def _texts(array):
    """The texts of a dictionary, copied."""
    offsets = ctypes.cast(array.buffers[1], ctypes.POINTER(ctypes.c_int32))[0:array.length + 1]
    start = array.buffers[2] or 0
    return [ctypes.string_at(start + begin, end - begin).decode() for begin, end in zip(offsets, offsets[1:])]


def _column(schema, array):
    """The values of a column, copied."""
    length = array.length
    if not length:
        return []
    if schema.format == b"b":
        bits = ctypes.string_at(array.buffers[1], (length + 7) // 8)
        return [bool(bits[place >> 3] >> (place & 7) & 1) for place in range(length)]
    values = ctypes.cast(array.buffers[1], ctypes.POINTER(_NUMBERS[schema.format]))[0:length]
    if not schema.dictionary:
        return values
    words = _texts(array.dictionary.contents)
    return [words[value] for value in values]


def rows(stream: "Any", error: type) -> "Iterator[tuple]":
    """Yields each row of a stream, a pointer to its structure. Raises `error` with its text."""
    schema, array = Schema(), Array()
    if stream.contents.get_schema(stream, ctypes.byref(schema)):
        raise error("there is no memory for the schema")
    try:
        while True:
            if stream.contents.get_next(stream, ctypes.byref(array)):
                raise error((stream.contents.get_last_error(stream) or b"?").decode("utf-8", "replace"))
            if not array.release:
                return
            try:
                columns = [_column(schema.children[place].contents, array.children[place].contents)
                           for place in range(array.n_children)]
            finally:
                array.release(ctypes.byref(array))
            yield from zip(*columns)
    finally:
        schema.release(ctypes.byref(schema))

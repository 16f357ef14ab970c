"""A trace as tables, which pandas, Polars, PyArrow and DuckDB take as they are.

    import pinsight

    trace = pinsight.open("pinsight-app-1")
    trace.functions.to_pandas()                     # or to_polars(), to_arrow()
    duckdb.sql("select function, count(*) from calls group by 1")   # with calls = trace.calls

A table is an Arrow stream (`__arrow_c_stream__`). Each use reads the trace anew, in a process of
its own, and passes the rows on in batches of at most 65,536. So a long trace needs no more memory
than a short one. Nothing is recorded. docs/data-tables.md describes all columns.
"""
import ctypes
import os
import subprocess
import threading

from . import _locate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple, Union

    Path = Union[str, "os.PathLike[str]"]

__all__ = ["Column", "Error", "Table", "Trace", "open"]

_TYPES = ("int64", "int32", "bool", "string")
_FILTERS = {"time": 1, "rank": 2, "thread": 4, "process": 4, "function": 8}
_STREAM, _SCHEMA = b"arrow_array_stream", b"arrow_schema"
_library = None
_lock = threading.Lock()


class Error(Exception):
    """A trace cannot be read. The text says why, and what to do."""


class _Column(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("unit", ctypes.c_char_p), ("about", ctypes.c_char_p),
                ("type", ctypes.c_uint8), ("field", ctypes.c_uint8)]


class _Table(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("about", ctypes.c_char_p), ("columns", ctypes.POINTER(_Column)),
                ("column_count", ctypes.c_uint32), ("filters", ctypes.c_uint32)]


class Column:
    """A column of a table: its name, its type, its unit and its meaning.

    The type is "int64", "int32", "bool" or "string".
    """

    def __init__(self, name: str, type: str, unit: str, about: str) -> None:
        self.name, self.type, self.unit, self.about = name, type, unit, about

    def __repr__(self) -> str:
        return "Column(%r, %r, unit=%r)" % (self.name, self.type, self.unit)


class _Kind:
    """A table that every trace has."""

    def __init__(self, number, told):
        self.number = number
        self.name, self.about, self.filters = told.name.decode(), told.about.decode(), told.filters
        self.columns = [Column(told.columns[i].name.decode(), _TYPES[told.columns[i].type],
                               told.columns[i].unit.decode(), told.columns[i].about.decode())
                        for i in range(told.column_count)]


class _Library:
    """libpinsight-data, with the tables that it knows."""

    def __init__(self, path):
        opened = ctypes.CDLL(path)
        self.table_at = opened.pinsight_data_table_at
        self.table_at.restype = ctypes.POINTER(_Table)
        self.table_at.argtypes = [ctypes.c_uint32]
        self.open = opened.pinsight_data_open
        self.open.restype = ctypes.c_void_p
        self.open.argtypes = [ctypes.c_uint32, ctypes.POINTER(ctypes.c_char_p), ctypes.c_char_p, ctypes.c_size_t]
        self.free_stream = opened.pinsight_data_free_stream
        self.free_stream.restype, self.free_stream.argtypes = None, [ctypes.c_void_p]
        self.schema = opened.pinsight_data_schema
        self.schema.restype, self.schema.argtypes = ctypes.c_void_p, [ctypes.c_uint32]
        python = ctypes.pythonapi
        opened.pinsight_data_use_python(ctypes.cast(python.PyCapsule_GetPointer, ctypes.c_void_p))
        self.ends = {_STREAM: ctypes.cast(opened.pinsight_data_end_stream_capsule, ctypes.c_void_p),
                     _SCHEMA: ctypes.cast(opened.pinsight_data_end_schema_capsule, ctypes.c_void_p)}
        self.make_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
            ("PyCapsule_New", python))
        self.kinds = {}
        number, told = 0, self.table_at(0)
        while told:
            kind = _Kind(number, told.contents)
            self.kinds[kind.name] = kind
            number, told = number + 1, self.table_at(number + 1)

    def capsule(self, pointer, name):
        return self.make_capsule(pointer, name, self.ends[name])


def _opened() -> _Library:
    global _library
    with _lock:
        if _library is None:
            for folder in _locate.folders():
                path = os.path.join(folder, "libpinsight-data.so")
                if os.path.isfile(path):
                    _library = _Library(path)
                    break
            else:
                raise Error("libpinsight-data.so was not found; install PInsight again")
        return _library


def _command():
    command = _locate.command()
    if not command:
        raise Error("the command `pinsight` was not found; install PInsight again, or put it on PATH")
    return command


def run(arguments):
    """The output of the command. Raises Error with its message."""
    environment = {name: value for name, value in os.environ.items() if name not in ("LD_PRELOAD", "PINSIGHT")}
    done = subprocess.run([_command()] + arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    if done.returncode and not done.stdout:
        raise Error(done.stderr.decode("utf-8", "replace").strip().replace("pinsight: ", "") or "pinsight failed")
    return done.stdout.decode("utf-8", "replace")


def _ranks(rank):
    if isinstance(rank, str):
        return rank
    return ",".join(str(int(one)) for one in ([rank] if hasattr(rank, "__index__") else rank))


def _escape(value):
    return str(value).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


class Table:
    """A table of a trace, or the rows of it that filters select. Each use reads the trace."""

    def __init__(self, trace: "Trace", kind: _Kind, filters: "Tuple[str, ...]" = ()) -> None:
        self._trace, self._kind, self._filters = trace, kind, filters
        self.__doc__ = kind.about

    @property
    def name(self) -> str:
        """The name of the table."""
        return self._kind.name

    @property
    def about(self) -> str:
        """What its rows are."""
        return self._kind.about

    @property
    def columns(self) -> "List[Column]":
        """The columns, with types, units and meanings."""
        return list(self._kind.columns)

    def filter(self, time: "Optional[Tuple[Optional[int], Optional[int]]]" = None,
               rank: "Union[None, int, str, Iterable[int]]" = None, thread: "Optional[int]" = None,
               process: "Optional[int]" = None, function: "Union[None, str, Iterable[str]]" = None) -> "Table":
        """Returns a table with fewer rows. The reader leaves out the others.

        time: (from, to) in ns of the trace's clock, or None for an open end. Rows stay that lie
            at least partly in it.
        rank: a rank of MPI, several, or a list as text: "0,4-7".
        thread: Python's number of a thread, or its thread id in the system.
        process: a process id.
        function: a name or several. `*` and `?` stand for any text and any character.

        Raises ValueError for a filter that the table does not have.
        """
        given = {"time": time, "rank": rank, "thread": thread, "process": process, "function": function}
        for name, value in given.items():
            if value is not None and not self._kind.filters & _FILTERS[name]:
                raise ValueError("the table %s has no filter '%s'" % (self.name, name))
        more = []
        if time is not None:
            begin, end = time
            more += ["from=%d" % begin] if begin is not None else []
            more += ["to=%d" % end] if end is not None else []
        if rank is not None:
            more.append("ranks=" + _ranks(rank))
        if thread is not None:
            more.append("thread=%d" % thread)
        if process is not None:
            more.append("process=%d" % process)
        if function is not None:
            more += ["function=" + name for name in ([function] if isinstance(function, str) else function)]
        return Table(self._trace, self._kind, self._filters + tuple(more))

    def _stream(self):
        words = [os.fsencode(word) for word in (_command(), self._trace.path) + self._filters]
        arguments = (ctypes.c_char_p * (len(words) + 1))(*words, None)
        problem = ctypes.create_string_buffer(512)
        stream = _opened().open(self._kind.number, arguments, problem, len(problem))
        if not stream:
            raise Error(problem.value.decode("utf-8", "replace"))
        return stream

    def __arrow_c_stream__(self, requested_schema: "Any" = None) -> "Any":
        """Starts to read the trace. Returns a capsule with an ArrowArrayStream."""
        return _opened().capsule(self._stream(), _STREAM)

    def __arrow_c_schema__(self) -> "Any":
        """Returns a capsule with an ArrowSchema."""
        schema = _opened().schema(self._kind.number)
        if not schema:
            raise MemoryError("there is no memory for the schema")
        return _opened().capsule(schema, _SCHEMA)

    def rows(self) -> "Iterator[tuple]":
        """Yields each row as a tuple, without any other package. Slow: meant for few rows."""
        from . import _arrow

        stream = self._stream()
        try:
            yield from _arrow.rows(ctypes.cast(stream, ctypes.POINTER(_arrow.Stream)), Error)
        finally:
            _opened().free_stream(stream)

    def head(self, count: int = 10) -> "List[Dict[str, Any]]":
        """Returns the first rows, each as a dictionary by column."""
        names = [column.name for column in self._kind.columns]
        found, rows = [], self.rows()
        for row in rows:
            if len(found) == count:
                break
            found.append(dict(zip(names, row)))
        rows.close()
        return found

    def to_arrow(self) -> "Any":
        """Returns a pyarrow.Table with all rows. Needs the package pyarrow."""
        return _package("pyarrow").table(self)

    def to_pandas(self) -> "Any":
        """Returns a pandas.DataFrame with all rows. Needs the packages pandas and pyarrow."""
        _package("pandas")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> "Any":
        """Returns a polars.DataFrame with all rows. Needs the package polars."""
        return _package("polars").DataFrame(self)

    def to_parquet(self, folder: "Path", by: "Iterable[str]" = ()) -> None:
        """Writes all rows as a dataset of compressed Parquet files.

        Arrow's own library writes them, batch by batch. `by` names columns whose values become
        folders, such as `rank`. Needs the package pyarrow, which raises an exception if the folder
        has files already. `pinsight export --to parquet-dataset` needs no package.
        """
        arrow, dataset, by = _package("pyarrow"), _package("pyarrow.dataset"), list(by)
        dataset.write_dataset(arrow.RecordBatchReader.from_stream(self), os.fspath(folder), format="parquet",
                              partitioning=by or None, partitioning_flavor="hive" if by else None,
                              max_partitions=1 << 20, max_open_files=64)

    def __repr__(self) -> str:
        return "<table %s of %s: %s>" % (self.name, self._trace.path, ", ".join(
            column.name for column in self._kind.columns))

    def _repr_html_(self) -> str:
        rows = self.head(11)
        heads = "".join('<th title="%s">%s</th>' % (_escape(column.about).replace('"', "&quot;"), _escape(column.name))
                        for column in self._kind.columns)
        cells = "".join("<tr>%s</tr>" % "".join("<td>%s</td>" % _escape(value) for value in row.values())
                        for row in rows[:10])
        more = "<p>the first 10 rows of %s</p>" % _escape(self.name) if len(rows) > 10 else ""
        return "<table><thead><tr>%s</tr></thead><tbody>%s</tbody></table>%s" % (heads, cells, more)


class Trace:
    """A trace with its tables as attributes: `trace.calls`, and the others of tables()."""

    def __init__(self, path: "Path") -> None:
        self.path = os.fspath(path)

    def tables(self) -> "List[str]":
        """Returns the names of the tables."""
        return list(_opened().kinds)

    def table(self, name: str) -> Table:
        """Returns a table by its name. Raises KeyError for an unknown one."""
        return Table(self, _opened().kinds[name])

    def __getattr__(self, name: str) -> Table:
        if name.startswith("_") or name not in _opened().kinds:
            raise AttributeError("a trace has no table '%s'" % name)
        return self.table(name)

    def __dir__(self) -> "List[str]":
        return sorted(set(super().__dir__()) | set(self.tables()))

    def report(self) -> str:
        """Returns the first screen of `pinsight report`."""
        return run(["report", "-q", "--limit", "10", self.path])

    def page(self) -> "Page":
        """Returns the page of the trace, which a notebook shows."""
        return Page(run(["export", "-q", "--to", "html", "-o", "-", self.path]))

    def __repr__(self) -> str:
        return "<trace %s>" % self.path

    def _repr_html_(self) -> str:
        return "<pre>%s</pre>" % _escape(self.report())


class Page:
    """A page of a trace, as HTML. save() writes it into a file."""

    def __init__(self, html: str) -> None:
        self.html = html

    def save(self, path: "Path") -> None:
        """Writes the page into a file."""
        with _open_file(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def _repr_html_(self) -> str:
        # The page has its own security policy and styles, so it stands in a frame.
        return '<iframe sandbox="allow-scripts" style="width:100%%;height:720px;border:0" srcdoc="%s"></iframe>' % (
            self.html.replace("&", "&amp;").replace('"', "&quot;"))


def _package(name):
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError as problem:
        raise ImportError("%s is needed here: %s; install it with `pip install %s`" % (name, problem, name)) from problem


_open_file = open


def open(trace: "Path") -> Trace:  # noqa: A001
    """Opens a trace: the folder that `pinsight run` wrote.

    Raises FileNotFoundError if the folder is missing.
    """
    os.stat(trace)
    return Trace(trace)

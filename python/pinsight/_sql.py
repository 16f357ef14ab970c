"""Executes a query over the tables of a trace with DuckDB, for `pinsight sql`."""
import csv
import json
import os
import sys
import unicodedata

from . import data

_NONE = "-"
_GAP = "  "
_LEAST = 12  # columns of a text that is shortened


def _fail(text):
    sys.stderr.write("pinsight: %s\n" % text)
    return 1


def _shown(value):
    """A value in a table: on one line, and without characters that change a terminal."""
    if value is None:
        return _NONE
    if isinstance(value, float):
        return "%.6g" % value
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in str(value))


def _width_of(text):
    """The columns that a text takes on a terminal."""
    return sum(0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _cut(text, width):
    """A text of at most so many columns."""
    if _width_of(text) <= width:
        return text
    while _width_of(text) > width - 1:
        text = text[:-1]
    return text + "\u2026"


def _fit(widths, right, room):
    """Makes columns narrower than a terminal: texts first, the widest first. Returns their
    widths; those that are missing at the end have no room."""
    def taken():
        return sum(widths) + len(_GAP) * (len(widths) - 1)

    widths = list(widths)
    while taken() > room:
        texts = [place for place, width in enumerate(widths) if not right[place] and width > _LEAST]
        if texts:
            widest = max(texts, key=widths.__getitem__)
            widths[widest] -= 1
        elif len(widths) > 1:
            widths.pop()
        else:
            break
    return widths


def _write_table(names, rows, out, room=None):
    texts = [[_shown(value) for value in row] for row in rows]
    right = [all(isinstance(row[place], (int, float)) or row[place] is None for row in rows) for place in range(len(names))]
    widths = [max(_width_of(text[place]) for text in [names] + texts) for place in range(len(names))]
    if room:
        widths = _fit(widths, right, room)
    for text in [names] + texts:
        cells = [_cut(cell, width) for cell, width in zip(text, widths)]
        blanks = [" " * (width - _width_of(cell)) for cell, width in zip(cells, widths)]
        cells = [blank + cell if to_right else cell + blank for cell, blank, to_right in zip(cells, blanks, right)]
        out.write(_GAP.join(cells).rstrip() + "\n")
    if len(widths) < len(names):
        out.write("(%d of %d columns; --format csv has all)\n" % (len(widths), len(names)))


def _terminal(out):
    """The width of the terminal, or None."""
    try:
        return os.get_terminal_size(out.fileno()).columns or None
    except (OSError, ValueError):
        return None


def _write_csv(names, rows, out):
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)


def _write_json(names, rows, out):
    json.dump([dict(zip(names, row)) for row in rows], out, default=str, indent=1)
    out.write("\n")


def _number(value):
    """DuckDB's decimals and very large numbers as numbers."""
    import decimal

    if isinstance(value, decimal.Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value


def main(path: str, query: str, form: str) -> int:
    """Prints the answer to a query. Returns an exit status."""
    try:
        import duckdb
    except ImportError as problem:
        return _fail("`pinsight sql` needs DuckDB, and %s lacks it (%s); run `%s -m pip install duckdb`, or name a Python that "
                     "has it: --python PATH" % (sys.executable, problem, sys.executable))
    try:
        trace, connection = data.open(path), duckdb.connect()
        for name in trace.tables():
            connection.register(name, trace.table(name))
        connection.execute(query)
        names = [column[0] for column in connection.description or ()]
        rows = [tuple(_number(value) for value in row) for row in connection.fetchall()] if names else []
    except (duckdb.Error, data.Error, OSError) as problem:
        return _fail(str(problem).strip())
    room = _terminal(sys.stdout)
    write = {"table": lambda *what: _write_table(*what, room), "csv": _write_csv, "json": _write_json}[form]
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        write(names, rows, sys.stdout)
        sys.stdout.flush()
    except BrokenPipeError:
        sys.stdout = None
    return 0

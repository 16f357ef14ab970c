"""Executes a query over the tables of a trace with DuckDB, for `pinsight sql`."""
import csv
import json
import sys

from . import data

_NONE = "-"


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


def _write_table(names, rows, out):
    texts = [[_shown(value) for value in row] for row in rows]
    right = [all(isinstance(row[place], (int, float)) or row[place] is None for row in rows) for place in range(len(names))]
    widths = [max(len(text[place]) for text in [names] + texts) for place in range(len(names))]
    for text in [names] + texts:
        cells = [cell.rjust(width) if to_right else cell.ljust(width) for cell, width, to_right in zip(text, widths, right)]
        out.write("  ".join(cells).rstrip() + "\n")


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
    write = {"table": _write_table, "csv": _write_csv, "json": _write_json}[form]
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        write(names, rows, sys.stdout)
        sys.stdout.flush()
    except BrokenPipeError:
        sys.stdout = None
    return 0

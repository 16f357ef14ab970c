#!/usr/bin/env python3
"""Writes docs/data-tables.md: the tables and columns of pinsight.data, as the library that was built tells them."""
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HEAD = """# Tables

These are the tables of [a trace as data](data.md). Columns that end in `_ns` are nanoseconds. Text columns have a
dictionary. No value is missing: a number without a value is 0 or -1, as the column says.

Rows of a thread come in the order in which its slices end. Rows of different threads have no common order.
"""
FILTERS = (("time", 1), ("rank", 2), ("thread", 4), ("process", 4), ("function", 8))


def text(data):
    """The page, from the module pinsight.data."""
    lines = [HEAD]
    for kind in data._opened().kinds.values():
        filters = ", ".join("`%s`" % name for name, bit in FILTERS if kind.filters & bit)
        lines += ["## %s\n" % kind.name, kind.about, "", "Filters: %s.\n" % (filters or "none"), "| column | type | unit | meaning |",
                  "| --- | --- | --- | --- |"]
        lines += ["| `%s` | %s | %s | %s |" % (column.name, column.type, column.unit, column.about) for column in kind.columns]
        lines.append("")
    return "\n".join(lines)


def main():
    build = pathlib.Path(os.environ.get("PINSIGHT_BUILD", ROOT / "build"))
    sys.path.insert(0, str(build / "lib" / "pinsight" / "python"))
    import pinsight.data

    (ROOT / "docs" / "data-tables.md").write_text(text(pinsight.data), encoding="utf-8")


if __name__ == "__main__":
    main()

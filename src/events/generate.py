#!/usr/bin/env python3
"""Writes everything that is derived from the event tables.

    generate.py --out DIR TABLE.json...

There is one table for each domain. The tables are checked, and then each generator module writes
its part below DIR:

    format/    the parts of the trace's format
    tracer/    the functions by which a domain records, and the recorder's side of them
    reader/    the reader's bindings
    describe/  the configurable properties of a domain
    events.md  the event reference

A file with unchanged content is not written, so that a build does not compile it again. A table
with `"recorded": false` has events that the reader knows and that no code records yet. It has no
provider, and has the domain's `name` itself.

These keys of an event or a field concern the file recorder:

    frequent   the event has a small head; 31 events can have one
    ends_wait  another thread ended a wait, so the event's time is taken in order
    repeated   the definition replaces earlier ones; a flight recorder does not keep those for ever
    of_thread  the definition describes the thread `tid`; a flight recorder keeps it with the
               thread's events
    in_packet  a packet has the field once for all its events
    clock      the field is a time of the trace's clock

An event that is `numbered` has numbers in place of names. Definitions explain the numbers.
"""

import argparse
import json
import pathlib
import re
import sys

import call_events
import gen_ctf
import gen_describe
import gen_docs
import gen_record
import mpi_functions
from common import C_TYPES

for recorder in ("file", "lttng"):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tracer" / "record" / recorder))
import gen_file  # noqa: E402
import gen_tracepoints  # noqa: E402

try:
    import gen_reader
except ImportError:  # the recorder can be built without the reader
    gen_reader = None

CHANNELS = ("definitions", "events", "registry")
NAME = re.compile(r"^[A-Za-z][A-Za-z0-9_]*$")
VARIABLE = re.compile(r"^[A-Z][A-Z0-9_]*$")
# Allows CUPTI's own names (devId).
FIELD_NAME = re.compile(r"^[a-z][a-z0-9_]*$|^(dev|context|stream|correlation)Id$")
# LTTng refuses longer names (lttng-ust(3), LTTNG_UST_TRACEPOINT_NAME_LEN_MAX is 256).
LONGEST_NAME = 255


class TableError(Exception):
    """A table breaks a rule. The text names the place."""


def check_keys(where, item, required, optional=()):
    for key in required:
        if key not in item:
            raise TableError(f"{where}: '{key}' is missing")
    for key in item:
        if key not in required and key not in optional:
            raise TableError(f"{where}: unknown key '{key}'")


def check_field(where, field, enums):
    check_keys(where, field, ("name", "type", "meaning"), ("base", "unit", "enum", "in_packet", "clock"))
    if not FIELD_NAME.match(field["name"]):
        raise TableError(f"{where}: a field name is lower-case: '{field['name']}'")
    if field["type"] not in C_TYPES:
        raise TableError(f"{where}: unknown type '{field['type']}'")
    if field.get("base", 10) not in (10, 16):
        raise TableError(f"{where}: base is 10 or 16")
    if "enum" in field and field["enum"] not in enums:
        raise TableError(f"{where}: unknown enum '{field['enum']}'")


def check_configure(where, configure):
    """Checks the configurable properties of a domain: name, punits, kinds of events, selectors and
    other keys.

    `tools` are environment variables that name a library for the domain's runtimes to open.
    `pinsight run` adds libpinsight-<domain>.so to them. `also` gives a variable further variables
    with values, which are set if a kind of events is on. `own` is true if the program itself
    reports the domain's work.
    """
    check_keys(where, configure, ("name", "punits", "kinds", "selectors", "keys"), ("process_punits", "template", "tools", "own", "named_punits"))
    for key in ("process_punits", "named_punits"):
        if not set(configure.get(key, ())) <= set(configure["punits"]):
            raise TableError(f"{where}: {key} are of punits")
    for kind in configure["kinds"]:
        check_keys(where, kind, ("name", "default", "help"))
    kinds = [kind["name"] for kind in configure["kinds"]]
    for tool in gen_describe.tools_of(configure):
        check_keys(where, tool, ("variable",), ("also", "kind"))
        if not all(VARIABLE.match(name) for name in [tool["variable"], *tool.get("also", ())]):
            raise TableError(f"{where}: tools are names of environment variables: '{tool['variable']}'")
        if ("also" in tool) != (tool.get("kind") in [kind["name"] for kind in configure["kinds"]]):
            raise TableError(f"{where}: also goes with a kind of events: '{tool['variable']}'")
    for name in [configure["name"], *configure["punits"], *kinds]:
        if not NAME.match(name):
            raise TableError(f"{where}: bad name '{name}'")
    if len(set(kinds)) != len(kinds) or len(kinds) > gen_describe.KINDS_MAX or "none" in kinds:
        raise TableError(f"{where}: at most {gen_describe.KINDS_MAX} kinds, each once, none called none")
    for key, known in (("selectors", gen_describe.SELECTORS), ("keys", gen_describe.KEYS)):
        if not set(configure[key]) <= set(known):
            raise TableError(f"{where}: {key} are of {', '.join(known)}")


def check_calls(where, calls):
    check_keys(where, calls, ("functions",), ("begin", "end", "places"))
    for function in calls["functions"]:
        check_keys(f"{where}: {function.get('name', '?')}", function, ("name", "meaning"), ("begin", "end", "frequent"))


def check(path, table):
    check_keys(path, table, ("domain", "provider", "meaning", "enums", "events"), ("name", "calls", "configure", "functions", "function_rows", "recorded"))
    if "configure" in table:
        check_configure(f"{path}: configure", table["configure"])
    seen = set()
    for event in table["events"]:
        where = f"{path}: {event.get('name', '?')}"
        check_keys(where, event, ("name", "channel", "meaning", "fields"),
                   ("counted", "frequent", "numbered", "ends_wait", "repeated", "of_thread"))
        if not NAME.match(event["name"]) or event["name"] in seen:
            raise TableError(f"{where}: bad or repeated event name")
        if len(table["provider"]) + 1 + len(event["name"]) > LONGEST_NAME:
            raise TableError(f"{where}: name too long for LTTng")
        if event["channel"] not in CHANNELS:
            raise TableError(f"{where}: channel is one of {', '.join(CHANNELS)}")
        seen.add(event["name"])
        names = [field.get("name") for field in event["fields"]]
        if len(set(names)) != len(names):
            raise TableError(f"{where}: a field stands twice")
        for field in event["fields"]:
            check_field(f"{where}.{field.get('name', '?')}", field, table["enums"])


def load(paths):
    tables = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            table = json.load(file)
        if "functions" in table:
            functions = mpi_functions.load(pathlib.Path(path).parent / table["functions"])
            table["events"] += mpi_functions.events(functions)
            table["function_rows"] = mpi_functions.reader_table(functions)
        if "calls" in table:
            check_calls(f"{path}: calls", table["calls"])
            table["events"] = call_events.events(table["calls"], table.get("recorded", True)) + table["events"]
        check(path, table)
        tables.append(table)
    return sorted(tables, key=lambda table: table["domain"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", required=True, type=pathlib.Path, metavar="DIR")
    parser.add_argument("tables", nargs="+", metavar="TABLE.json")
    options = parser.parse_args()
    try:
        tables = load(options.tables)
    except (TableError, mpi_functions.TableError, OSError, json.JSONDecodeError) as error:
        sys.exit(f"generate.py: {error}")
    options.out.mkdir(parents=True, exist_ok=True)
    recorded = [table for table in tables if table.get("recorded", True)]
    gen_record.generate(recorded, options.out)
    gen_file.generate(recorded, options.out)
    gen_tracepoints.generate(recorded, options.out)
    gen_describe.generate(tables, options.out)
    gen_docs.generate(tables, options.out)
    if gen_reader:
        gen_reader.generate(tables, options.out)
        gen_ctf.generate(tables, options.out)


if __name__ == "__main__":
    main()

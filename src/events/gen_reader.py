"""Writes the reader's tables: generated/reader/events.h and events.c, and rows of a table of MPI's
functions.

The reader binds an event class of a trace to one of these descriptions once, by name. From then on
it reads a field by a small number. The binding finds fields that a trace lacks or has at another
place.
"""

from __future__ import annotations

import pathlib

from common import SIZES, write_if_changed

# Type in the tables -> kind of the reader's value.
KINDS = {
    "i8": "SIGNED",
    "i16": "SIGNED",
    "i32": "SIGNED",
    "i64": "SIGNED",
    "u8": "UNSIGNED",
    "u16": "UNSIGNED",
    "u32": "UNSIGNED",
    "u64": "UNSIGNED",
    "f64": "REAL",
    "string": "STRING",
}

HEADER_TOP = """\
/* Generated from the event tables; do not edit.
 *
 * Every event that the reader knows: a number for each event and for each of its fields, and the
 * names by which a trace has them. */
#ifndef PINSIGHT_READER_EVENTS_H
#define PINSIGHT_READER_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pinsight_field_kind {
    PINSIGHT_FIELD_UNSIGNED,
    PINSIGHT_FIELD_SIGNED,
    PINSIGHT_FIELD_REAL,
    PINSIGHT_FIELD_STRING,
};

/* One word for one value of a field, such as "resume" for 1. */
struct pinsight_label {
    const char *label;
    uint64_t value;
};

struct pinsight_field_desc {
    const char *name;
    enum pinsight_field_kind kind;
    uint8_t bytes;  /* of a number */
    uint8_t hex;    /* shown in base 16 */
    uint8_t clock;  /* a time of the trace's clock */
    const struct pinsight_label *labels;
    size_t label_count;
};

struct pinsight_event_desc {
    const char *full_name; /* provider:event, as a trace has it */
    const char *name;      /* without the provider */
    const char *domain;
    const char *channel;
    const struct pinsight_field_desc *fields;
    size_t field_count;
};
"""


def _c_name(*parts: str) -> str:
    return "_".join(parts).upper().replace("-", "_")


def _c_string(text: str) -> str:
    out = []
    for byte in text.encode():
        char = chr(byte)
        out.append(char if 32 <= byte < 127 and char not in '"\\?' else f"\\{byte:03o}")
    return '"' + "".join(out) + '"'


def _check(table: dict) -> None:
    """Raises ValueError for a table that the reader cannot use. The message names the place."""
    for event in table["events"]:
        for field in event["fields"]:
            where = f"{table['domain']}.json: {event['name']}.{field['name']}"
            if field["type"] not in KINDS:
                raise ValueError(f"{where}: the reader knows no type {field['type']!r}")
            if "enum" in field and field["enum"] not in table.get("enums", {}):
                raise ValueError(f"{where}: no enum {field['enum']!r} in this table")


def _predicate(tables: list[dict], name: str, meaning: str, holds) -> list[str]:
    """The lines of a function that says whether something holds for an event."""
    return [
        f"/* {meaning} */",
        f"static inline bool pinsight_event_{name}(enum pinsight_event_id id) {{",
        "    switch (id) {",
        *[f"    case {_c_name('pinsight_event', table['domain'], event['name'])}:"
          for table in tables for event in table["events"] if holds(event)],
        "        return true;",
        "    default:",
        "        return false;",
        "    }",
        "}",
        "",
    ]


def _header(tables: list[dict]) -> str:
    lines = [HEADER_TOP, "enum pinsight_event_id {", "    PINSIGHT_EVENT_UNKNOWN = 0,"]
    number = 1
    for table in tables:
        for event in table["events"]:
            lines.append(f"    {_c_name('pinsight_event', table['domain'], event['name'])},")
            event["number"] = number
            number += 1
    lines += ["    PINSIGHT_EVENT_COUNT,", "};", ""]
    most = 1
    for table in tables:
        for event in table["events"]:
            most = max(most, len(event["fields"]))
            if not event["fields"]:
                continue
            lines.append("enum {")
            for field in event["fields"]:
                name = _c_name("pinsight", table["domain"], event["name"], field["name"])
                lines.append(f"    {name},")
            lines += ["};", ""]
    lines += [
        "/* The largest number of fields of any event. */",
        f"#define PINSIGHT_EVENT_MAX_FIELDS {most}",
        "",
        "/* Indexed by enum pinsight_event_id; the entry for PINSIGHT_EVENT_UNKNOWN is empty. */",
        "extern const struct pinsight_event_desc pinsight_event_descs[PINSIGHT_EVENT_COUNT];",
        "",
        *_predicate(tables, "is_numbered", "Whether an event has numbers in place of names, which other events explain.",
                    lambda event: event.get("numbered")),
        *_predicate(tables, "is_uncounted", "Whether a process leaves an event out of its event_count.",
                    lambda event: not event.get("counted", True)),
        "#endif",
        "",
    ]
    return "\n".join(lines)


def _source(tables: list[dict]) -> str:
    lines = [
        "/* Generated from the event tables; do not edit. */",
        '#include "events.h"',
        "",
    ]
    for table in tables:
        used = {field.get("enum") for event in table["events"] for field in event["fields"]}
        for enum, values in table.get("enums", {}).items():
            if enum not in used:
                continue
            lines.append(f"static const struct pinsight_label {table['domain']}_{enum}[] = {{")
            for label, value in values.items():
                lines.append(f"    {{{_c_string(label)}, {value}u}},")
            lines += ["};", ""]
        for event in table["events"]:
            if not event["fields"]:
                continue
            base = f"{table['domain']}_{event['name']}"
            lines.append(f"static const struct pinsight_field_desc {base}_fields[] = {{")
            for field in event["fields"]:
                labels = f"{table['domain']}_{field['enum']}" if "enum" in field else None
                count = f"sizeof({labels}) / sizeof({labels}[0])" if labels else "0"
                lines.append(
                    f"    {{{_c_string(field['name'])}, PINSIGHT_FIELD_{KINDS[field['type']]}, "
                    f"{SIZES.get(field['type'], 0)}, {1 if field.get('base') == 16 else 0}, {int(field.get('clock', False))}, "
                    f"{labels or 'NULL'}, {count}}},"
                )
            lines += ["};", ""]
    lines.append("const struct pinsight_event_desc pinsight_event_descs[PINSIGHT_EVENT_COUNT] = {")
    for table in tables:
        for event in table["events"]:
            base = f"{table['domain']}_{event['name']}"
            fields = f"{base}_fields" if event["fields"] else "NULL"
            lines.append(
                f"    [{_c_name('pinsight_event', table['domain'], event['name'])}] = {{"
                f"{_c_string(table['provider'] + ':' + event['name'])}, "
                f"{_c_string(event['name'])}, {_c_string(table['domain'])}, "
                f"{_c_string(event.get('channel', 'events'))}, {fields}, {len(event['fields'])}}},"
            )
    lines += ["};", ""]
    return "\n".join(lines)


def generate(tables: list[dict], out_dir: pathlib.Path) -> None:
    """Writes reader/events.h and reader/events.c below out_dir. Raises ValueError for a bad
    table.
    """
    for table in tables:
        _check(table)
    folder = pathlib.Path(out_dir) / "reader"
    write_if_changed(folder / "events.h", _header(tables))
    write_if_changed(folder / "events.c", _source(tables))
    for table in tables:
        if "function_rows" in table:
            write_if_changed(folder / f"{table['domain']}_functions.inc", table["function_rows"])

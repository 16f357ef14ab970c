"""The functions by which a domain records, whatever the recorder.

For each table, below DIR/record:
  <domain>_types.h  structs of the events that have too many fields for arguments
  <domain>.h        pinsight_record_<domain>_<event>() and …_enabled()
What an event is to the recorder, its own generator writes: DIR/record/<recorder>/<domain>.h.
"""

import pathlib

from common import C_TYPES, write_if_changed

# The recorder's folder: src/record/recorder.c chooses the rest of it.
RECORDER = "lttng"

# A recorder takes ten arguments; an event with more fields is handed over as a struct.
MOST_ARGUMENTS = 10

NOTICE = "/* Written by src/events/generate.py from src/events/{domain}.json; edit that. */\n"


def c_type(field):
    return C_TYPES[field["type"]]


def declare(field):
    text = c_type(field)
    return f"{text}{field['name']}" if text.endswith("*") else f"{text} {field['name']}"


def uses_struct(event):
    return len(event["fields"]) > MOST_ARGUMENTS


def struct_name(table, event):
    """Events that are made of functions share a struct where they have the same fields."""
    if "functions" in table and "shape" in event:
        return f"struct pinsight_record_{table['domain']}_{event['shape']}"
    return f"struct pinsight_record_{table['domain']}_{event['name']}"


def name_shapes(table):
    """For a table with functions: the events with the same fields get the same `shape`."""
    shapes = {}
    for event in table["events"]:
        fields = tuple(field["name"] for field in event["fields"])
        event["shape"] = shapes.setdefault(fields, f"shape_{len(shapes)}")


def types_header(table):
    guard = f"PINSIGHT_RECORD_{table['domain'].upper()}_TYPES_H"
    out = [NOTICE.format(**table), f"#ifndef {guard}\n#define {guard}\n\n#include <stdint.h>\n"]
    for enum, values in table["enums"].items():
        constants = "".join(
            f"    PINSIGHT_{table['domain'].upper()}_{enum.upper()}_{name.upper()} = {value},\n"
            for name, value in values.items()
        )
        out.append(f"\nenum pinsight_{table['domain']}_{enum} {{\n{constants}}};\n")
    made = set()
    for event in table["events"]:
        if uses_struct(event) and struct_name(table, event) not in made:
            made.add(struct_name(table, event))
            members = "".join(f"    {declare(field)}; /* {field['meaning']} */\n" for field in event["fields"])
            out.append(f"\n/* {event['meaning']} */\n{struct_name(table, event)} {{\n{members}}};\n")
    for event in table["events"]:
        if uses_struct(event) and "shape" in event:
            name = f"pinsight_record_{table['domain']}_{event['name']}_t"
            out.append(f"\ntypedef {struct_name(table, event)} {name};\n")
    out.append("\n#endif\n")
    return "".join(out)


def record_header(table):
    guard = f"PINSIGHT_RECORD_{table['domain'].upper()}_H"
    out = [
        NOTICE.format(**table),
        f"#ifndef {guard}\n#define {guard}\n\n#include <stdbool.h>\n#include <stdint.h>\n\n"
        f'#include "record/counts.h"\n#include "record/{RECORDER}/{table["domain"]}.h"\n',
    ]
    for event in table["events"]:
        function = f"pinsight_record_{table['domain']}_{event['name']}"
        if uses_struct(event):
            parameters = f"const {struct_name(table, event)} *record"
            arguments = "record"
        else:
            parameters = ", ".join(declare(field) for field in event["fields"]) or "void"
            arguments = ", ".join(field["name"] for field in event["fields"])
        before = after = ""
        if event.get("counted", True):
            before = f"    bool listened = {function}_enabled();\n"
            after = "    pinsight_recorded_count(listened);\n"
        out.append(
            f"\n/* Does a session listen to {event['name']}? A load and a branch. */\n"
            f"static inline bool {function}_enabled(void)\n{{\n"
            f"    return PINSIGHT_EVENT_LISTENED({table['provider']}, {event['name']});\n}}\n"
            f"\n/* {event['meaning']} */\n"
            f"static inline void {function}({parameters})\n{{\n"
            f"{before}    PINSIGHT_EVENT_RECORD({', '.join(filter(None, (table['provider'], event['name'], arguments)))});\n{after}}}\n"
        )
    out.append("\n#endif\n")
    return "".join(out)


def generate(tables, out_dir):
    record = pathlib.Path(out_dir) / "record"
    for table in tables:
        if "functions" in table:
            name_shapes(table)
        write_if_changed(record / f"{table['domain']}_types.h", types_header(table))
        write_if_changed(record / f"{table['domain']}.h", record_header(table))

"""Writes the functions by which a domain records, for any recorder.

For each table, below DIR/tracer/record:

    <domain>_types.h  structs of the events that have too many fields for arguments
    <domain>.h        pinsight_record_<domain>_<event>(), …_enabled(), and the table of functions
                      that a recorder supplies for the domain

The recorders' generators write those functions: src/tracer/record/file/gen_file.py and
src/tracer/record/lttng/gen_tracepoints.py.
"""

import pathlib

from common import C_TYPES, SIZES, write_if_changed

# A recorder's function has at most ten arguments. An event with more fields is passed as a struct.
MOST_ARGUMENTS = 10

# The most bytes of an event's fields that are stored inline (PINSIGHT_STREAM_SPARE in
# src/tracer/record/stream.h).
INLINE_BYTES = 16
# CTF's compact heads have five bits. Their last value announces another head.
FREQUENT_MOST = 31
FIRST_NUMBER = 32

NOTICE = "/* Written by src/events/generate.py from src/events/{domain}.json; edit that. */\n"


def c_type(field):
    return C_TYPES[field["type"]]


def declare(field):
    text = c_type(field)
    return f"{text}{field['name']}" if text.endswith("*") else f"{text} {field['name']}"


def uses_struct(event):
    return len(event["fields"]) > MOST_ARGUMENTS


def struct_name(table, event):
    """Returns the name of an event's struct. Events of functions share one if they have the same
    fields.
    """
    if "functions" in table and "shape" in event:
        return f"struct pinsight_record_{table['domain']}_{event['shape']}"
    return f"struct pinsight_record_{table['domain']}_{event['name']}"


def name_shapes(table):
    """Gives events with the same fields the same `shape`, so that they share a struct, in a table
    with functions.
    """
    shapes = {}
    for event in table["events"]:
        fields = tuple(field["name"] for field in event["fields"])
        event["shape"] = shapes.setdefault(fields, f"shape_{len(shapes)}")


def parameters(table, event):
    """Returns the C parameters of the functions that record an event."""
    if uses_struct(event):
        return f"const {struct_name(table, event)} *record"
    return ", ".join(declare(field) for field in event["fields"])


def arguments(event):
    return "record" if uses_struct(event) else ", ".join(field["name"] for field in event["fields"])


def calls(table):
    """Returns the functions of a domain's recorder, one for all events that are recorded alike and
    have the same parameters. Each is a pair: its parameters, and its events with their numbers in
    the table.
    """
    found = {}
    for number, event in enumerate(table["events"]):
        key = (parameters(table, event), event.get("of_thread", False))
        found.setdefault(key, []).append((number, event))
    return [(its, events) for (its, _), events in found.items()]


def call_names(table):
    """Returns the name of each event's function, by the event's number."""
    return {number: f"call_{index}" for index, (_, events) in enumerate(calls(table)) for number, _ in events}


def table_struct(table):
    return f"struct pinsight_record_{table['domain']}"


def inline_payload(event):
    """Returns the fields that the file recorder stores inline, or None. The event must be frequent
    and small, and must take its time when it is recorded.
    """
    fields = recorded_fields(event)
    if not event.get("frequent") or event.get("ends_wait") or any(field["type"] == "string" for field in fields):
        return None
    return fields if sum(SIZES[field["type"]] for field in fields) <= INLINE_BYTES else None


def recorded_fields(event):
    """Returns the fields that the file recorder writes of a frequent event. The packet identifies
    the thread.
    """
    return [field for field in event["fields"] if not field.get("in_packet")]


def may_be_of_another(event):
    """Returns whether a thread may record the event for another thread. Then all fields are
    written.
    """
    return any(field.get("in_packet") for field in event["fields"])


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
    domain = table["domain"]
    guard = f"PINSIGHT_RECORD_{domain.upper()}_H"
    names = call_names(table)
    members = "".join(
        f"    void (*call_{index})(unsigned event{', ' if its else ''}{its});\n"
        for index, (its, _) in enumerate(calls(table))
    )
    out = [
        NOTICE.format(**table),
        f"#ifndef {guard}\n#define {guard}\n\n#include <stdbool.h>\n#include <stdint.h>\n\n"
        f'#include "tracer/record/stream.h"\n#include "tracer/record/table.h"\n#include "tracer/record/{domain}_types.h"\n'
        f"\n/* A recorder for the domain: who listens to an event, by its number, and how it is recorded. */\n"
        f"{table_struct(table)} {{\n    const int *listened[{len(table['events'])}];\n{members}}};\n"
        f"\n/* The one in force; never NULL. */\n"
        f"extern const {table_struct(table)} *pinsight_record_{domain};\n"
        f"extern const struct pinsight_record_link pinsight_record_{domain}_link;\n"
        f"#define PINSIGHT_RECORD_{domain.upper()}_LINK (&pinsight_record_{domain}_link)\n",
    ]
    for number, event in enumerate(table["events"]):
        function = f"pinsight_record_{domain}_{event['name']}"
        its = arguments(event)
        body = f"    pinsight_record_{domain}->{names[number]}({number}{', ' if its else ''}{its});\n"
        fields = inline_payload(event)
        if fields is not None:
            size = sum(SIZES[field["type"]] for field in fields)
            stores = "".join(f"    at = PINSIGHT_STORE(at, {field['name']});\n" for field in fields)
            known = "".join(f"    (void){field['name']};\n" for field in event["fields"] if field not in fields)
            assert size <= INLINE_BYTES
            out.append(
                f"\n/* {event['meaning']} At the time `now` (tracer/record/stream.h). False, and nothing recorded, where the file recorder does not store it without a call. */\n"
                f"static inline bool {function}_stored(uint64_t now, {parameters(table, event)})\n{{\n"
                f"    struct pinsight_event_place place;\n{known}"
                f"    if (__builtin_expect(!pinsight_stream_take({event['frequent_id']}, now, &place), 0))\n"
                f"        return false;\n"
                f"    uint8_t *at = place.at;\n{stores}"
                f"    pinsight_stream_commit(&place, at);\n"
                f"    return true;\n}}\n"
            )
            body = f"    if (__builtin_expect({function}_stored(0, {its}), 1))\n        return;\n{body}"
        if may_be_of_another(event):
            out.append(
                f"\n/* {event['meaning']} In another thread than the one that records it. */\n"
                f"static inline void {function}_of_another({parameters(table, event)})\n{{\n"
                f"    pinsight_record_{domain}->{names[number]}({number} | PINSIGHT_OF_ANOTHER, {its});\n}}\n"
            )
        out.append(
            f"\n/* Does anybody listen to {event['name']}? Some loads and a branch. */\n"
            f"static inline bool {function}_enabled(void)\n{{\n"
            f"    return PINSIGHT_RECORD_LISTENED(pinsight_record_{domain}->listened[{number}]);\n}}\n"
            f"\n/* {event['meaning']} */\n"
            f"static inline void {function}({parameters(table, event) or 'void'})\n{{\n{body}}}\n"
        )
    out.append("\n#endif\n")
    return "".join(out)


def number_events(tables):
    """Numbers the events for the file recorder. Frequent events have numbers that fit into the
    small head.
    """
    frequent, number = 0, FIRST_NUMBER
    for table in tables:
        for event in table["events"]:
            if "id" in event:
                raise ValueError(f"{table['domain']}: {event['name']} is another domain's event, too")
            event["id"] = number
            number += 1
            if event.get("frequent"):
                event["frequent_id"] = frequent
                frequent += 1
    if frequent > FREQUENT_MOST:
        raise ValueError(f"{frequent} events are frequent; the head of an event has room for {FREQUENT_MOST}")


def generate(tables, out_dir):
    record = pathlib.Path(out_dir) / "tracer" / "record"
    for table in tables:
        if "functions" in table:
            name_shapes(table)
    number_events(tables)
    for table in tables:
        write_if_changed(record / f"{table['domain']}_types.h", types_header(table))
        write_if_changed(record / f"{table['domain']}.h", record_header(table))

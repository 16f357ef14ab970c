"""The recorder: one LTTng-UST provider a domain, and the functions by which a domain records.

For each table, below DIR/record:
  <domain>_types.h        structs of the events that have too many fields for arguments
  <domain>_tracepoints.h  the tracepoint header, which the preprocessor reads many times
  <domain>_provider.c     definitions and probes; linked once into the object that records
  <domain>.h              pinsight_record_<domain>_<event>() and …_enabled()
and for all of them channels.h, which says what goes into which channel.
"""

import pathlib

from common import C_TYPES, write_if_changed

# LTTNG_UST_TP_ARGS takes ten arguments; an event with more fields is handed over as a struct.
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


def tp_field(table, event, field):
    expression = f"record->{field['name']}" if uses_struct(event) else field["name"]
    name = field["name"]
    if field["type"] == "string":
        return f"lttng_ust_field_string({name}, {expression})"
    if "enum" in field:
        return f"lttng_ust_field_enum({table['provider']}, {field['enum']}, {c_type(field)}, {name}, {expression})"
    macro = "lttng_ust_field_integer_hex" if field.get("base") == 16 else "lttng_ust_field_integer"
    return f"{macro}({c_type(field)}, {name}, {expression})"


def tp_arguments(table, event):
    if uses_struct(event):
        return f"const {struct_name(table, event)} *, record"
    return ", ".join(f"{c_type(field).strip()}, {field['name']}" for field in event["fields"])


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


def tracepoints_header(table):
    guard = f"PINSIGHT_RECORD_{table['domain'].upper()}_TRACEPOINTS_H"
    out = [
        NOTICE.format(**table),
        f"#undef LTTNG_UST_TRACEPOINT_PROVIDER\n#define LTTNG_UST_TRACEPOINT_PROVIDER {table['provider']}\n\n"
        "#undef LTTNG_UST_TRACEPOINT_INCLUDE\n"
        f'#define LTTNG_UST_TRACEPOINT_INCLUDE "record/{table["domain"]}_tracepoints.h"\n\n'
        f"#if !defined({guard}) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)\n#define {guard}\n\n"
        "#include <lttng/tracepoint.h>\n\n"
        f'#include "record/{table["domain"]}_types.h"\n',
    ]
    for enum, values in table["enums"].items():
        entries = "".join(f'        lttng_ust_field_enum_value("{name}", {value})\n' for name, value in values.items())
        out.append(
            f"\nLTTNG_UST_TRACEPOINT_ENUM({table['provider']}, {enum},\n    LTTNG_UST_TP_ENUM_VALUES(\n{entries}    ))\n"
        )
    classes = {}
    for event in table["events"]:
        fields = "".join(f"        {tp_field(table, event, field)}\n" for field in event["fields"])
        arguments = f"    LTTNG_UST_TP_ARGS({tp_arguments(table, event)})"
        if "functions" not in table:
            out.append(
                f"\n/* {event['meaning']} */\nLTTNG_UST_TRACEPOINT_EVENT({table['provider']}, {event['name']},\n"
                f"{arguments},\n    LTTNG_UST_TP_FIELDS(\n{fields}    ))\n"
            )
            continue
        # Many events, of few shapes: those of a shape share its code.
        name = classes.get((arguments, fields))
        if not name:
            name = classes[arguments, fields] = f"shape_{len(classes)}"
            out.append(
                f"\nLTTNG_UST_TRACEPOINT_EVENT_CLASS({table['provider']}, {name},\n"
                f"{arguments},\n    LTTNG_UST_TP_FIELDS(\n{fields}    ))\n"
            )
        out.append(
            f"\n/* {event['meaning']} */\nLTTNG_UST_TRACEPOINT_EVENT_INSTANCE({table['provider']}, {name}, "
            f"{table['provider']}, {event['name']},\n{arguments})\n"
        )
    out.append("\n#endif\n\n#include <lttng/tracepoint-event.h>\n")
    return "".join(out)


def provider_source(table):
    # Tracepoints of functions are defined where the wrappers are, which share one provider.
    define = "" if "functions" in table else "#define LTTNG_UST_TRACEPOINT_DEFINE\n"
    return (
        NOTICE.format(**table)
        + f"#define LTTNG_UST_TRACEPOINT_CREATE_PROBES\n{define}"
        + f'#include "record/{table["domain"]}_tracepoints.h"\n'
    )


def record_header(table):
    guard = f"PINSIGHT_RECORD_{table['domain'].upper()}_H"
    out = [
        NOTICE.format(**table),
        f"#ifndef {guard}\n#define {guard}\n\n#include <stdbool.h>\n#include <stdint.h>\n\n"
        f'#include "record/counts.h"\n#include "record/{table["domain"]}_tracepoints.h"\n',
    ]
    for event in table["events"]:
        function = f"pinsight_record_{table['domain']}_{event['name']}"
        if uses_struct(event):
            parameters = f"const {struct_name(table, event)} *record"
            arguments = "record"
        else:
            parameters = ", ".join(declare(field) for field in event["fields"])
            arguments = ", ".join(field["name"] for field in event["fields"])
        before = after = ""
        if event.get("counted", True):
            before = f"    bool listened = {function}_enabled();\n"
            after = "    pinsight_recorded_count(listened);\n"
        out.append(
            f"\n/* Does a session listen to {event['name']}? A load and a branch. */\n"
            f"static inline bool {function}_enabled(void)\n{{\n"
            f"    return lttng_ust_tracepoint_enabled({table['provider']}, {event['name']});\n}}\n"
            f"\n/* {event['meaning']} */\n"
            f"static inline void {function}({parameters})\n{{\n"
            f"{before}    lttng_ust_do_tracepoint({table['provider']}, {event['name']}, {arguments});\n{after}}}\n"
        )
    out.append("\n#endif\n")
    return "".join(out)


def channels_header(tables):
    rows = "".join(
        f'    {{"{table["provider"]}:{event["name"]}", "{event["channel"]}"}},\n'
        for table in tables
        for event in table["events"]
        if event["channel"] != "events"
    )
    providers = "".join(
        f'    {{"{table["provider"]}", {"true" if "functions" in table else "false"}}},\n' for table in tables
    )
    return (
        "/* Written by src/events/generate.py from the tables in src/events; edit those. */\n"
        "#ifndef PINSIGHT_RECORD_CHANNELS_H\n#define PINSIGHT_RECORD_CHANNELS_H\n\n#include <stdbool.h>\n\n"
        "/* Events that do not go into the channel \"events\", by full name. */\n"
        "struct pinsight_event_channel {\n    const char *event;\n    const char *channel;\n};\n\n"
        f"static const struct pinsight_event_channel pinsight_event_channels[] = {{\n{rows}}};\n\n"
        "/* All providers; the large ones are described beforehand only where they are expected. */\n"
        "struct pinsight_event_provider {\n    const char *name;\n    bool is_large;\n};\n\n"
        f"static const struct pinsight_event_provider pinsight_event_providers[] = {{\n{providers}}};\n\n#endif\n"
    )


def generate(tables, out_dir):
    record = pathlib.Path(out_dir) / "record"
    for table in tables:
        domain = table["domain"]
        if "functions" in table:
            name_shapes(table)
        write_if_changed(record / f"{domain}_types.h", types_header(table))
        write_if_changed(record / f"{domain}_tracepoints.h", tracepoints_header(table))
        write_if_changed(record / f"{domain}_provider.c", provider_source(table))
        write_if_changed(record / f"{domain}.h", record_header(table))
    write_if_changed(record / "channels.h", channels_header(tables))

"""Writes LTTng-UST's part of the event tables: a provider for each domain, and the channels.

For each table, below DIR/tracer/record/lttng:

    <domain>_tracepoints.h  the tracepoint header, which the preprocessor reads many times
    <domain>_provider.c     definitions and probes, and the domain's table; part of
                            lttng/libpinsight-<domain>.so or libpinsight itself

For all of them, channels.h assigns the events to channels.
"""

import pathlib

from common import write_if_changed
from gen_record import NOTICE, arguments, c_type, calls, struct_name, table_struct, uses_struct


def tp_field(table, event, field):
    expression = f"record->{field['name']}" if uses_struct(event) else field["name"]
    name = field["name"]
    if field["type"] == "string":
        return f"lttng_ust_field_string({name}, {expression})"
    if "enum" in field:
        return f"lttng_ust_field_enum({table['provider']}, {field['enum']}, {c_type(field)}, {name}, {expression})"
    if field["type"] == "f64":
        return f"lttng_ust_field_float(double, {name}, {expression})"
    macro = "lttng_ust_field_integer_hex" if field.get("base") == 16 else "lttng_ust_field_integer"
    return f"{macro}({c_type(field)}, {name}, {expression})"


def tp_arguments(table, event):
    if uses_struct(event):
        return f"const {struct_name(table, event)} *, record"
    return ", ".join(f"{c_type(field).strip()}, {field['name']}" for field in event["fields"])


def tracepoints_header(table):
    guard = f"PINSIGHT_RECORD_LTTNG_{table['domain'].upper()}_TRACEPOINTS_H"
    out = [
        NOTICE.format(**table),
        f"#undef LTTNG_UST_TRACEPOINT_PROVIDER\n#define LTTNG_UST_TRACEPOINT_PROVIDER {table['provider']}\n\n"
        "#undef LTTNG_UST_TRACEPOINT_INCLUDE\n"
        f'#define LTTNG_UST_TRACEPOINT_INCLUDE "tracer/record/lttng/{table["domain"]}_tracepoints.h"\n\n'
        f"#if !defined({guard}) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)\n#define {guard}\n\n"
        "#include <lttng/tracepoint.h>\n\n"
        f'#include "tracer/record/{table["domain"]}_types.h"\n',
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
        # There are many events and few shapes. Events of a shape share code.
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


def call(table, index, its, events):
    """Returns one function for all events with the same parameters (gen_record.calls)."""
    parts = [f"static void call_{index}(unsigned event{', ' if its else ''}{its})\n{{\n    switch (event & ~PINSIGHT_OF_ANOTHER) {{\n"]
    for number, event in events:
        names = ", ".join(filter(None, (table["provider"], event["name"], arguments(event))))
        if event.get("counted", True):
            parts.append(
                f"    case {number}: {{\n"
                f"        bool listened = lttng_ust_tracepoint_enabled({table['provider']}, {event['name']});\n"
                f"        pinsight_lttng_clock_look(listened);\n"
                f"        lttng_ust_do_tracepoint({names});\n        pinsight_recorded_count(listened);\n        break;\n    }}\n"
            )
        else:
            parts.append(f"    case {number}:\n        lttng_ust_do_tracepoint({names});\n        break;\n")
    parts.append("    }\n}\n\n")
    return "".join(parts)


def provider_source(table):
    """Returns the provider, its tracepoints, and the domain's table (tracer/record/table.h)."""
    out = [
        NOTICE.format(**table),
        "#define LTTNG_UST_TRACEPOINT_CREATE_PROBES\n#define LTTNG_UST_TRACEPOINT_DEFINE\n"
        f'#include "tracer/record/lttng/{table["domain"]}_tracepoints.h"\n\n'
        f'#include "tracer/record/counted.h"\n#include "tracer/record/{table["domain"]}.h"\n#include "tracer/record/lttng/thread_clock.h"\n\n',
    ]
    shapes = calls(table)
    out += [call(table, index, its, events) for index, (its, events) in enumerate(shapes)]
    listened = "".join(
        f"        &lttng_ust_tracepoint_{table['provider']}___{event['name']}.state,\n" for event in table["events"]
    )
    members = "".join(f"    .call_{index} = call_{index},\n" for index in range(len(shapes)))
    out.append(
        f"PINSIGHT_API extern const {table_struct(table)} pinsight_record_table_{table['domain']};\n\n"
        f"const {table_struct(table)} pinsight_record_table_{table['domain']} = {{\n    .listened =\n    {{\n{listened}    }},\n{members}}};\n"
    )
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
        "#ifndef PINSIGHT_FORMAT_LTTNG_CHANNELS_H\n#define PINSIGHT_FORMAT_LTTNG_CHANNELS_H\n\n#include <stdbool.h>\n\n"
        "/* Events that do not go into the channel \"events\", by full name. */\n"
        "struct pinsight_event_channel {\n    const char *event;\n    const char *channel;\n};\n\n"
        f"static const struct pinsight_event_channel pinsight_event_channels[] = {{\n{rows}}};\n\n"
        "/* All providers; the large ones are described beforehand only where they are expected. */\n"
        "struct pinsight_event_provider {\n    const char *name;\n    bool is_large;\n};\n\n"
        f"static const struct pinsight_event_provider pinsight_event_providers[] = {{\n{providers}}};\n\n#endif\n"
    )


def generate(tables, out_dir):
    """Writes the files. gen_record must have written the tables before, because it names the
    shapes.
    """
    lttng = pathlib.Path(out_dir) / "tracer" / "record" / "lttng"
    for table in tables:
        domain = table["domain"]
        write_if_changed(lttng / f"{domain}_tracepoints.h", tracepoints_header(table))
        write_if_changed(lttng / f"{domain}_provider.c", provider_source(table))
    write_if_changed(pathlib.Path(out_dir) / "format" / "lttng" / "channels.h", channels_header(tables))

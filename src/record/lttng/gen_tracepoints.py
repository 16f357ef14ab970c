"""What LTTng-UST has of the event tables: a provider a domain, and the channels.

For each table, below DIR/record/lttng:
  <domain>_tracepoints.h  the tracepoint header, which the preprocessor reads many times
  <domain>_provider.c     definitions and probes; linked once into the object that records
  <domain>.h              what record/<domain>.h makes its functions of
and for all of them channels.h, which says what goes into which channel.
"""

import pathlib

from common import write_if_changed
from gen_record import NOTICE, c_type, struct_name, uses_struct


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


def tracepoints_header(table):
    guard = f"PINSIGHT_RECORD_LTTNG_{table['domain'].upper()}_TRACEPOINTS_H"
    out = [
        NOTICE.format(**table),
        f"#undef LTTNG_UST_TRACEPOINT_PROVIDER\n#define LTTNG_UST_TRACEPOINT_PROVIDER {table['provider']}\n\n"
        "#undef LTTNG_UST_TRACEPOINT_INCLUDE\n"
        f'#define LTTNG_UST_TRACEPOINT_INCLUDE "record/lttng/{table["domain"]}_tracepoints.h"\n\n'
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
        + f'#include "record/lttng/{table["domain"]}_tracepoints.h"\n'
    )


def event_header(table):
    guard = f"PINSIGHT_RECORD_LTTNG_{table['domain'].upper()}_H"
    return (
        NOTICE.format(**table)
        + f"#ifndef {guard}\n#define {guard}\n\n"
        + f'#include "record/event.h"\n#include "record/lttng/{table["domain"]}_tracepoints.h"\n\n#endif\n'
    )


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
        "#ifndef PINSIGHT_RECORD_LTTNG_CHANNELS_H\n#define PINSIGHT_RECORD_LTTNG_CHANNELS_H\n\n#include <stdbool.h>\n\n"
        "/* Events that do not go into the channel \"events\", by full name. */\n"
        "struct pinsight_event_channel {\n    const char *event;\n    const char *channel;\n};\n\n"
        f"static const struct pinsight_event_channel pinsight_event_channels[] = {{\n{rows}}};\n\n"
        "/* All providers; the large ones are described beforehand only where they are expected. */\n"
        "struct pinsight_event_provider {\n    const char *name;\n    bool is_large;\n};\n\n"
        f"static const struct pinsight_event_provider pinsight_event_providers[] = {{\n{providers}}};\n\n#endif\n"
    )


def generate(tables, out_dir):
    """The tables are those that gen_record has written: it names the shapes of their events."""
    lttng = pathlib.Path(out_dir) / "record" / "lttng"
    for table in tables:
        domain = table["domain"]
        write_if_changed(lttng / f"{domain}_tracepoints.h", tracepoints_header(table))
        write_if_changed(lttng / f"{domain}_provider.c", provider_source(table))
        write_if_changed(lttng / f"{domain}.h", event_header(table))
    write_if_changed(lttng / "channels.h", channels_header(tables))

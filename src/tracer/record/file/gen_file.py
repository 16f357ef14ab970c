"""Writes the file recorder's part of the event tables, below DIR/tracer/record/file:

    <domain>_record.c  the functions that store a domain's events; linked once into each object that
                       records them
    metadata_text.c    the description of the events for readers of CTF 1.8
"""

import pathlib

from common import SIZES, write_if_changed
from gen_ctf import c_text, declarations
from gen_record import NOTICE, calls, may_be_of_another, recorded_fields, table_struct, uses_struct

HEAD_BYTES, SPARE_BYTES = 4, 32  # of a frequent event; tracer/record/stream.h
C_STRING_MOST = 4000  # characters of a literal that every compiler accepts


def expression(event, field):
    return f"record->{field['name']}" if uses_struct(event) else field["name"]


def is_kept(event):
    """Returns whether later events may refer to the event, so that a flight recorder keeps it."""
    return event["channel"] == "definitions" and not event.get("repeated", False)


BEGIN = """    struct pinsight_event_place place;
    if (!pinsight_stream_reserve({number}, {size}, &place))
        return;
"""


BEGIN_OF_THREAD = """    struct pinsight_event_place place;
    if (!pinsight_stream_reserve_of_thread({number}, {size}, tid, &place))
        return;
"""


def quick_begin(size):
    """Returns the begin of an event that may be frequent. `place` stays in registers, unless
    reserve() has to store the event.
    """
    return (
        "    struct pinsight_event_place place;\n"
        "    const struct pinsight_event_number *number = {number};\n"
        "    if (__builtin_expect(number->frequent == PINSIGHT_NOT_FREQUENT ||\n"
        "                             !pinsight_stream_take_more(number->frequent, number->ends_wait, "
        f"{max(0, HEAD_BYTES + size - SPARE_BYTES)}, 0, &place), 0)) {{{{\n"
        "        struct pinsight_event_place reserved;\n"
        "        if (!pinsight_stream_reserve(number, {size}, &reserved))\n            return;\n"
        "        place = reserved;\n"
        "    }}\n"
    )


def call(table, index, its, events):
    """Returns one function for all events with the same parameters. It stores them alike."""
    event = events[0][1]
    fields = event["fields"]
    another = may_be_of_another(event)
    texts = [field for field in fields if field["type"] == "string"]
    fixed = sum(SIZES[field["type"]] for field in fields if field["type"] != "string")
    out = [f"static void call_{index}(unsigned event{', ' if its else ''}{its})\n{{\n"]
    if not fields and uses_struct(event):
        out.append("    (void)record;\n")
    out += [
        f"    size_t {field['name']}_bytes = pinsight_stream_text_bytes({expression(event, field)});\n" for field in texts
    ]
    is_quick = not texts and not another and any("frequent_id" in event for _, event in events)
    number = "&number" if another else "&numbers[event]"
    of_thread = event.get("of_thread", False)
    begin = quick_begin(fixed) if is_quick else BEGIN_OF_THREAD if of_thread else BEGIN
    size = " + ".join([str(fixed)] + [f"{field['name']}_bytes" for field in texts])
    out.append(
        (
            "    struct pinsight_event_number number = numbers[event & ~PINSIGHT_OF_ANOTHER];\n"
            "    if (event & PINSIGHT_OF_ANOTHER)\n        number.frequent = PINSIGHT_NOT_FREQUENT;\n"
            if another
            else ""
        )
        + begin.format(number=number, size=size)
        + "    uint8_t *at = place.at;\n"
    )
    for field in fields:
        if field.get("in_packet"):
            out.append(
                f"    if (!(event & PINSIGHT_OF_ANOTHER))\n        {field['name']} = place.tid;\n"
                f"    if (!place.is_frequent)\n        at = PINSIGHT_STORE(at, {field['name']});\n"
            )
        elif field["type"] == "string":
            out.append(f"    at = pinsight_store_text(at, {expression(event, field)}, {field['name']}_bytes);\n")
        elif field.get("clock"):
            out.append(
                f"    uint64_t {field['name']}_ticks = pinsight_stream_ticks_of({expression(event, field)});\n"
                f"    at = PINSIGHT_STORE(at, {field['name']}_ticks);\n"
            )
        else:
            out.append(f"    at = PINSIGHT_STORE(at, {expression(event, field)});\n")
    out.append(
        f"    pinsight_stream_commit_of_thread({number}, &place, at);\n}}\n\n"
        if of_thread
        else "    pinsight_stream_commit(&place, at);\n}\n\n"
    )
    return "".join(out)


def record_source(table):
    domain = table["domain"]
    assert not any(is_kept(event) for event in table["events"] if "frequent_id" in event)
    rows = "".join(
        f"    {{{event['id']}, {event.get('frequent_id', 'PINSIGHT_NOT_FREQUENT')}, {int(event.get('ends_wait', False))}, "
        f"{int(is_kept(event))}}},"
        f" /* {event['name']} */\n"
        for event in table["events"]
    )
    functions = "".join(call(table, index, its, events) for index, (its, events) in enumerate(calls(table)))
    listened = ", ".join(["&pinsight_file_listened"] * len(table["events"]))
    members = "".join(f"    .call_{index} = call_{index},\n" for index in range(len(calls(table))))
    struct = table_struct(table)
    return (
        NOTICE.format(**table)
        + f'#include "tracer/record/{domain}.h"\n\n'
        + f'_Static_assert(PINSIGHT_STREAM_SPARE == {SPARE_BYTES}, "as in gen_file.py");\n\n'
        + f"static const struct pinsight_event_number numbers[] = {{\n{rows}}};\n\n"
        + functions
        + f"static const {struct} by_file = {{\n    .listened = {{{listened}}},\n{members}}};\n\n"
        + f"const {struct} *pinsight_record_{domain} = &by_file;\n\n"
        + f"const struct pinsight_record_link pinsight_record_{domain}_link = {{\n"
        + f'    .domain = "{domain}",\n    .file = &by_file,\n'
        + f"    .in_force = (const void **)&pinsight_record_{domain},\n}};\n"
    )


def recorded_kinds(event):
    """Returns the forms of an event in a trace: the full one, and a small one if it is frequent."""
    kinds = [(event["id"], event["fields"])]
    if "frequent_id" in event:
        kinds.append((event["frequent_id"], recorded_fields(event)))
    return kinds


HEAD = """typealias integer { size = 5; align = 1; signed = false; } := uint5_t;
typealias integer { size = 27; align = 1; signed = false; map = clock.monotonic.value; } := uint27_clock_monotonic_t;
typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; } := uint64_clock_monotonic_t;

struct packet_context {
    uint64_clock_monotonic_t timestamp_begin;
    uint64_clock_monotonic_t timestamp_end;
    uint64_t content_size;
    uint64_t packet_size;
    uint64_t packet_seq_num;
    uint64_t events_discarded;
    uint32_t vpid;
    uint32_t vtid;
};

struct event_header {
    enum : uint5_t { compact = 0 ... 30, extended = 31 } id;
    variant <id> {
        struct {
            uint27_clock_monotonic_t timestamp;
        } compact;
        struct {
            uint32_t id;
            uint64_clock_monotonic_t timestamp;
        } extended;
    } v;
} align(8);

stream {
    id = 0;
    event.header := struct event_header;
    packet.context := struct packet_context;
};

"""


def shape(fields):
    """Returns the sizes of the fields of an event, one character each."""
    return "".join("s" if field["type"] == "string" else str(SIZES[field["type"]]) for field in fields)


def shapes_source(tables):
    """Returns the shape of each event, by its number."""
    events = [event for table in tables for event in table["events"]]
    rows = {number: shape(fields) for event in events for number, fields in recorded_kinds(event)}
    numbers = {event["name"]: event["id"] for event in events}
    texts = "".join(f'    [{number}] = "{rows[number]}",\n' for number in sorted(rows))
    return (
        f"\nconst char *const pinsight_file_shapes[] = {{\n{texts}}};\n\n"
        f"const uint32_t pinsight_file_shape_count = {max(rows) + 1};\n"
        f"const uint32_t pinsight_file_clock_sync = {numbers['clock_sync']};\n"
        f"const uint32_t pinsight_file_thread_clock = {numbers['thread_clock']};\n"
        f"const uint32_t pinsight_file_process_memory = {numbers['process_memory']};\n"
        f"const uint32_t pinsight_file_path_profile = {numbers['path_profile']};\n"
        f"const uint32_t pinsight_file_lexgion_profile = {numbers['lexgion_profile']};\n"
    )


def metadata_source(tables):
    text = HEAD + declarations(tables, recorded_kinds)
    return (
        "/* Written by src/events/generate.py from the tables in src/events; edit those. */\n"
        '#include "format/folder.h"\n\n'
        "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n\n"
        f"const char pinsight_file_metadata[] =\n{c_text(text)}    ;\n"
    ) + shapes_source(tables)


def generate(tables, out_dir):
    """Writes the files. gen_record must have written the tables before, because it numbers the
    events.
    """
    out = pathlib.Path(out_dir) / "tracer" / "record" / "file"
    for table in tables:
        write_if_changed(out / f"{table['domain']}_record.c", record_source(table))
    # A bench's tables have no core and no trace.
    if any(table["domain"] == "core" for table in tables):
        write_if_changed(pathlib.Path(out_dir) / "format" / "metadata_text.c", metadata_source(tables))

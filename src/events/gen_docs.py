"""Writes the event reference, DIR/events.md: every event of the tables with its fields."""

import pathlib

from common import write_if_changed

HEAD = """# Events

<!-- Written by src/events/generate.py from src/events/*.json; edit those. -->

Every event that PInsight records, with its fields. Names are fixed. Times are of the trace's clock. In
the sessions that `pinsight run` makes, events of the channels `definitions` and `events` carry the LTTng
contexts `vpid` and `vtid`. Events of the channel `registry` have no contexts, and name their thread
themselves.
"""


def type_text(field):
    text = field["type"]
    if field.get("base") == 16:
        text += ", hex"
    if "unit" in field:
        text += f", {field['unit']}"
    return text


def meaning_of(table, field):
    if "enum" not in field:
        return field["meaning"]
    values = ", ".join(f"{value} `{name}`" for name, value in table["enums"][field["enum"]].items())
    return f"{field['meaning']} ({values})"


def event_section(table, event):
    lines = [f"### `{event['name']}`", "", f"{event['meaning']} Channel `{event['channel']}`.", ""]
    lines += ["| field | type | meaning |", "| --- | --- | --- |"]
    for field in event["fields"]:
        lines.append(f"| `{field['name']}` | {type_text(field)} | {meaning_of(table, field)} |")
    return "\n".join(lines) + "\n"


def calls(events):
    """Returns the functions with two events, NAME_begin and NAME_end: {NAME: (begin, end)}."""
    by_name = {event["name"]: event for event in events}
    return {
        name[: -len("_begin")]: (event, by_name[name[: -len("_begin")] + "_end"])
        for name, event in by_name.items()
        if name.endswith("_begin") and name[: -len("_begin")] + "_end" in by_name
    }


def calls_section(table, pairs):
    """Returns two tables for events that differ only in the function: the fields, and the fields of
    each function.
    """
    common = [
        {field["name"] for field in next(iter(pairs.values()))[end]["fields"]}.intersection(
            *({field["name"] for field in pair[end]["fields"]} for pair in pairs.values())
        )
        for end in (0, 1)
    ]
    fields = {}
    for pair in pairs.values():
        for when, event in zip(("begin", "end"), pair):
            for field in event["fields"]:
                row = (field["name"], type_text(field), meaning_of(table, field))
                fields.setdefault(row, []).append(when)
    lines = ["### Calls", "", f"{len(pairs)} functions have two events each in channel `events`: `NAME_begin` when the"]
    lines += ["function is called, and `NAME_end` when it returns. Their fields:", ""]
    lines += ["| field | event | type | meaning |", "| --- | --- | --- | --- |"]
    for (name, kind, meaning), when in fields.items():
        lines.append(f"| `{name}` | {' and '.join(sorted(set(when)))} | {kind} | {meaning} |")
    everyone = [", ".join(f"`{name}`" for name in sorted(names)) for names in common]
    lines += ["", f"Each `NAME_begin` has {everyone[0]}; each `NAME_end` has {everyone[1]}. Beside these:", ""]
    lines += ["| function | fields of `NAME_begin` | fields of `NAME_end` |", "| --- | --- | --- |"]
    for name, pair in pairs.items():
        own = [
            " ".join(f"`{field['name']}`" for field in event["fields"] if field["name"] not in common[end])
            for end, event in enumerate(pair)
        ]
        lines.append(f"| `{name}` | {own[0]} | {own[1]} |")
    return "\n".join(lines) + "\n"


def generate(tables, out_dir):
    parts = [HEAD]
    for table in tables:
        if not table["events"]:
            continue
        parts.append(f"## `{table['provider']}`\n\n{table['meaning']}\n")
        pairs = calls(table["events"]) if "functions" in table else {}
        paired = [event for pair in pairs.values() for event in pair]
        parts += [event_section(table, event) for event in table["events"] if event not in paired]
        if pairs:
            parts.append(calls_section(table, pairs))
    write_if_changed(pathlib.Path(out_dir) / "events.md", "\n".join(parts))

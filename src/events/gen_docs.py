"""The event reference, DIR/events.md: every event with its fields, as the tables describe them."""

import pathlib

from common import write_if_changed

HEAD = """# Events

<!-- Written by src/events/generate.py from src/events/*.json; edit those. -->

Every event that PInsight records, with its fields. Names are fixed; times are the trace clock. Events
of the channels `definitions` and `events` carry the LTTng contexts `vpid` and `vtid` in the sessions
that `pinsight run` makes; those of `registry` carry none, and name their thread themselves.
"""


def type_text(field):
    text = field["type"]
    if field.get("base") == 16:
        text += ", hex"
    if "unit" in field:
        text += f", {field['unit']}"
    return text


def event_section(table, event):
    lines = [f"### `{event['name']}`", "", f"{event['meaning']} Channel `{event['channel']}`.", ""]
    lines += ["| field | type | meaning |", "| --- | --- | --- |"]
    for field in event["fields"]:
        meaning = field["meaning"]
        if "enum" in field:
            values = ", ".join(f"{value} `{name}`" for name, value in table["enums"][field["enum"]].items())
            meaning += f" ({values})"
        lines.append(f"| `{field['name']}` | {type_text(field)} | {meaning} |")
    return "\n".join(lines) + "\n"


def generate(tables, out_dir):
    parts = [HEAD]
    for table in tables:
        parts.append(f"## `{table['provider']}`\n\n{table['meaning']}\n")
        parts += [event_section(table, event) for event in table["events"]]
    write_if_changed(pathlib.Path(out_dir) / "events.md", "\n".join(parts))

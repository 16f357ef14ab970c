"""The recorder of the unit tests: the functions by which domains record, into memory.

For each table, DIR/tracer/record/<domain>.h has what src/events/gen_record.py writes; and DIR/recorder_events.h the events' names with their fields'.
"""

import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "src" / "events"))

from common import write_if_changed  # noqa: E402
from gen_record import declare, inline_payload, may_be_of_another, name_shapes, struct_name, uses_struct  # noqa: E402
from generate import load  # noqa: E402

MOST_FIELDS = 18


def record_function(table, event, number):
    function = f"pinsight_record_{table['domain']}_{event['name']}"
    prefix = "record->" if uses_struct(event) else ""
    if uses_struct(event):
        parameters = f"const {struct_name(table, event)} *record"
    else:
        parameters = ", ".join(declare(field) for field in event["fields"])
    values = ", ".join(
        f"(uint64_t){'(uintptr_t)' if field['type'] == 'string' else ''}{prefix}{field['name']}"
        for field in event["fields"]
    )
    return (
        f"static inline bool {function}_enabled(void) {{\n    return recorder_listens();\n}}\n"
        + "".join(
            f"static inline void {function}{of}({parameters}) {{\n"
            f"    const uint64_t fields[RECORDER_FIELDS] = {{{values}}};\n"
            f"    recorder_put({number}, fields);\n}}\n"
            for of in (["", "_of_another"] if may_be_of_another(event) else [""])
        )
        + (
            ""
            if inline_payload(event) is None
            else f"static inline bool {function}_stored(uint64_t now, {parameters}) {{\n"
            f"    (void)now;\n    if (!recorder_stores())\n        return false;\n"
            f"    {function}({', '.join(field['name'] for field in event['fields'])});\n"
            f"    return true;\n}}\n"
        )
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("tables", type=pathlib.Path, nargs="+")
    arguments = parser.parse_args()
    rows, number = [], 0
    for path in arguments.tables:
        (table,) = load([path])
        if "functions" in table:
            name_shapes(table)
        out = [
            f"/* Written by recorder.py from {path.name}. */\n#pragma once\n"
            '#include <stdbool.h>\n#include <stdint.h>\n\n#include "recorder_events.h"\n'
            f'#include "tracer/record/table.h"\n#include "tracer/record/{table["domain"]}_types.h"\n'
            f"#define PINSIGHT_RECORD_{table['domain'].upper()}_LINK NULL\n"
        ]
        for event in table["events"]:
            out.append(record_function(table, event, number))
            names = "".join(f'"{field["name"]}", ' for field in event["fields"])
            rows.append(f'    {{"{event["name"]}", {{{names}0}}}},\n')
            number += 1
        write_if_changed(arguments.out / "tracer" / "record" / f"{table['domain']}.h", "".join(out))
    write_if_changed(
        arguments.out / "recorder_events.h",
        "/* Written by recorder.py. */\n#pragma once\n#include <stdbool.h>\n#include <stdint.h>\n\n"
        f"#define RECORDER_FIELDS {MOST_FIELDS}\n"
        "bool recorder_listens(void);\n"
        "bool recorder_stores(void);\n"
        "void recorder_put(unsigned event, const uint64_t *fields);\n\n"
        "struct recorder_event {\n    const char *name;\n    const char *fields[RECORDER_FIELDS];\n};\n"
        "#ifdef RECORDER_EVENTS\n"
        f"static const struct recorder_event recorder_events[] = {{\n{''.join(rows)}}};\n#endif\n",
    )


main()

"""Writes descriptions of the tables' events in CTF 1.8, below DIR/reader:

declarations.h, declarations.c  the events of `pinsight export --to ctf`: those with names, and all
                                fields
"""

import pathlib

from common import SIZES, write_if_changed


def ctf_type(table, field):
    if field["type"] == "string":
        return "string"
    if field["type"] == "f64":
        return "floating_point { exp_dig = 11; mant_dig = 53; align = 8; }"
    size = SIZES[field["type"]] * 8
    signed = "true" if field["type"].startswith("i") else "false"
    base = "base = 16; " if field.get("base") == 16 else ""
    integer = f"integer {{ size = {size}; align = 8; signed = {signed}; {base}}}"
    if "enum" not in field:
        return integer
    values = ", ".join(f'"{name}" = {value}' for name, value in table["enums"][field["enum"]].items())
    return f"enum : {integer} {{ {values} }}"


def declarations(tables, kinds):
    """Returns C code that describes the events. `kinds` gives the forms of an event, each a number
    and its fields. Events of a domain with the same fields share a struct.
    """
    return "".join(_of_domain(table, kinds) for table in tables)


def _of_domain(table, kinds):
    structs, out = {}, []
    for event in table["events"]:
        for number, its in kinds(event):
            fields = "".join(f"    {ctf_type(table, field)} _{field['name']};\n" for field in its)
            name = structs.get(fields)
            if not name:
                name = structs[fields] = f"pinsight_{table['domain']}_{len(structs)}"
                out.append(f"struct {name} {{\n{fields}}};\n\n")
            out.append(
                f'event {{\n    name = "{table["provider"]}:{event["name"]}";\n    id = {number};\n'
                f"    stream_id = 0;\n    fields := struct {name};\n}};\n\n"
            )
    return "".join(out)


def c_text(text):
    """Returns the initializer of a const char array. Compilers limit the length of string literals,
    but not of initializers.
    """
    rows = []
    for line in text.splitlines(keepends=True):
        escaped = line.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        rows.append(f'    "{escaped}"\n')
    return "".join(rows)


HEADER = """\
/* Written by src/events/generate.py from the tables in src/events; edit those. */
#ifndef PINSIGHT_READER_DECLARATIONS_H
#define PINSIGHT_READER_DECLARATIONS_H

/* The events as CTF 1.8 describes them, those of stream class 0: their numbers are of enum pinsight_event_id, and their
 * fields are those of pinsight_event_descs. Without events whose names are numbers. */
extern const char pinsight_event_declarations[];

#endif
"""


def generate(tables, out_dir):
    """Writes the files. The events of the tables have their numbers in the reader as `number`."""
    folder = pathlib.Path(out_dir) / "reader"
    text = declarations(tables, lambda event: [(event["number"], event["fields"])] if event["channel"] != "registry" else [])
    write_if_changed(folder / "declarations.h", HEADER)
    write_if_changed(
        folder / "declarations.c",
        "/* Written by src/events/generate.py from the tables in src/events; edit those. */\n"
        '#include "declarations.h"\n\n'
        '#pragma GCC diagnostic ignored "-Woverlength-strings"\n\n'
        f"const char pinsight_event_declarations[] =\n{c_text(text)}    ;\n",
    )

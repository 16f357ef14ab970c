"""Writes the configurable properties of each domain:

    describe/<domain>.h, <domain>_kinds.h  for the domain itself
    describe/descriptions.c                the table of all domains, for the configuration
    describe/words.h                       the domains' names, for options and the environment
"""

import json
import pathlib

from common import write_if_changed

KINDS_MAX = 64  # PINSIGHT_EVENT_KINDS_MAX of events/description.h
SELECTORS = {
    "source": "PINSIGHT_SELECT_SOURCE",
    "callee": "PINSIGHT_SELECT_CALLEE",
    "native": "PINSIGHT_SELECT_NATIVE",
    "name": "PINSIGHT_SELECT_NAME",
}
KEYS = ("modules", "names", "import", "allocations", "exceptions", "operators", "properties", "device_activity", "shortest_vector", "nested", "budget")

NOTE = "/* Written by src/events/generate.py from the tables beside it; edit those. */\n"


def c_string(text):
    return json.dumps(text)


def tools_of(configure):
    """Returns the variables that name a library, each as an object."""
    return [{"variable": tool} if isinstance(tool, str) else tool for tool in configure.get("tools", ())]


def c_tool(domain, tool):
    if "also" not in tool:
        return f"{{{c_string(tool['variable'])}, 0, NULL}}"
    kind = f"PINSIGHT_{domain}_KIND_{tool['kind']}".upper()
    also = "".join(f"{{{c_string(name)}, {c_string(value)}}}, " for name, value in tool["also"].items())
    return f"{{{c_string(tool['variable'])}, {kind}, (const struct pinsight_variable[]){{{also}{{NULL, NULL}}}}}}"


def numbers(name, plural, words):
    """Returns an enumeration of kinds, with their number at its end."""
    members = "".join(f"    {name.upper()}_{word.upper()},\n" for word in words)
    return f"enum {name} {{\n{members}    {plural},\n}};\n"


def kinds_header(domain, configure):
    """Returns the header with the numbers of a domain's kinds of events and parallel units."""
    guard = f"PINSIGHT_DESCRIBE_{domain.upper()}_KINDS_H"
    prefix = f"pinsight_{domain}"
    kinds = numbers(prefix + "_kind", f"{prefix.upper()}_KINDS", [kind["name"] for kind in configure["kinds"]])
    punits = numbers(prefix + "_punit", f"{prefix.upper()}_PUNITS", configure["punits"])
    return f"{NOTE}#ifndef {guard}\n#define {guard}\n\n{kinds}\n{punits}\n#endif\n"


def header(domain, configure):
    """Returns the header with the tables of one domain, which are static in each including file."""
    guard = f"PINSIGHT_DESCRIBE_{domain.upper()}_H"
    lines = [NOTE + f"#ifndef {guard}", f"#define {guard}", "", '#include "events/description.h"']
    lines += [f'#include "describe/{domain}_kinds.h"', ""]
    punits = "".join(c_string(kind) + ", " for kind in configure["punits"])
    lines += [f"static const char *const pinsight_{domain}_punit_kinds[] = {{{punits}NULL}};", ""]
    lines.append(f"static const struct pinsight_event_descriptor pinsight_{domain}_event_kinds[] = {{")
    for kind in configure["kinds"]:
        on = "true" if kind["default"] else "false"
        lines.append(f"    {{{c_string(kind['name'])}, {on}, {c_string(kind['help'])}}},")
    lines += [
        "};",
        "",
        "/* For a struct pinsight_domain or pinsight_description. */",
        f"#define PINSIGHT_{domain.upper()}_TABLES \\",
        f"    .name = {c_string(configure['name'])}, .punit_kinds = pinsight_{domain}_punit_kinds, \\",
        f"    .events = pinsight_{domain}_event_kinds, .event_count = PINSIGHT_{domain.upper()}_KINDS",
        "",
        "#endif",
        "",
    ]
    return "\n".join(lines)


def words_header(domains, own):
    """Returns the names of the domains as preprocessor lists, for options and the environment.

    `own` are those whose work the program itself reports: they have a mode, and no list names them.
    """
    guard = "PINSIGHT_DESCRIBE_WORDS_H"
    words = ", ".join(c_string(domain) for domain in domains)
    modes = ", ".join(c_string("PINSIGHT_TRACE_" + domain.upper()) for domain in [*domains, *own])
    return (
        f"{NOTE}#ifndef {guard}\n#define {guard}\n\n"
        f"#define PINSIGHT_DOMAIN_LIST {c_string(', '.join(domains))}\n"
        f"#define PINSIGHT_DOMAIN_WORDS {words}\n"
        f"/* The variables that set their modes. */\n#define PINSIGHT_MODE_VARIABLES {modes}\n\n#endif\n"
    )


def generate(tables, out_dir):
    folder = pathlib.Path(out_dir) / "describe"
    names = [table.get("configure", table).get("name") for table in tables]
    tables = [table for table in tables if "configure" in table]
    lines = [NOTE + '#include "events/description.h"', ""]
    lines += [f'#include "describe/{table["domain"]}.h"' for table in tables]
    lines += ["", "const struct pinsight_description pinsight_config_domains[] = {"]
    for table in tables:
        domain, configure = table["domain"], table["configure"]
        write_if_changed(folder / f"{domain}.h", header(domain, configure))
        write_if_changed(folder / f"{domain}_kinds.h", kinds_header(domain, configure))
        selectors = " | ".join(SELECTORS[name] for name in configure["selectors"]) or "0"
        lines += [
            "    {",
            f"        PINSIGHT_{domain.upper()}_TABLES,",
            f"        .selectors = {selectors},",
        ]
        lines += [f"        .has_{key} = true," for key in configure["keys"]]
        if configure.get("own"):
            lines.append("        .is_own = true,")
        for key in ("process_punits", "named_punits"):
            units = sum(1 << configure["punits"].index(kind) for kind in configure.get(key, ()))
            lines.append(f"        .{key} = {units},")
        if "template" in configure:
            text = "".join(line + "\n" for line in configure["template"])
            lines.append(f"        .template = {c_string(text)},")
        if "tools" in configure:
            tools = "".join(c_tool(domain, tool) + ", " for tool in tools_of(configure))
            lines.append(f"        .tools = (const struct pinsight_tool[]){{{tools}{{NULL, 0, NULL}}}},")
            lines.append(f"        .tool_library = {c_string(f'libpinsight-{domain}.so')},")
        lines.append("    },")
    lines += ["};", f"const size_t pinsight_config_domain_count = {len(tables)};", ""]
    words = "".join(c_string(name) + ", " for name in names if name)
    lines += [f"const char *const pinsight_domain_names[] = {{{words}NULL}};", ""]
    write_if_changed(folder / "descriptions.c", "\n".join(lines))
    # The established order in options.
    own = [table["domain"] for table in tables if table["configure"].get("own")]
    others = [table["domain"] for table in reversed(tables) if table["domain"] not in own]
    write_if_changed(folder / "words.h", words_header(others, own))

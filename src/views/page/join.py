"""Joins the sources of a page to C arrays, with the page before and behind its data. The sources
are page.html, style.css and the JavaScript modules.

    join.py FOLDER OUTPUT.c

A module imports names by lines `import { a, b } from "./other.js";`. It exports a function, a
class or a constant by `export` before it. In the page, each module becomes a function that returns
its exports. Imported modules come first. The page's Content-Security-Policy allows only this script
and this style, by their hashes."""
import base64
import hashlib
import pathlib
import re
import sys

IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w-]+\.js)";\n', re.M)
EXPORTED = re.compile(r"^export (?:async )?(?:function\*?|class|const|let) +(\w+)", re.M)
DATA = "<!-- data -->\n"


def add_modules(folder, name, done, within=()):
    """Adds a module to `done`, by name, after the modules that it imports."""
    if name in within:
        sys.exit(f"join.py: {name} imports itself, by way of {', '.join(within)}")
    if name in done:
        return
    text = (folder / name).read_text(encoding="utf-8")
    for names, other in IMPORT.findall(text):
        add_modules(folder, other, done, within + (name,))
        missing = set(re.findall(r"\w+", names)) - set(EXPORTED.findall(done[other]))
        if missing:
            sys.exit(f"join.py: {name} imports {', '.join(sorted(missing))}, which {other} does not export")
    done[name] = text


def scope(name):
    return "$" + name[:-len(".js")]


def joined(name, text):
    """Returns the module as a constant: an object with its exports."""
    exports = ", ".join(EXPORTED.findall(text))
    body = IMPORT.sub(lambda found: f"const {{{found[1]}}} = {scope(found[2])};\n", text)
    body = re.sub(r"^export ", "", body, flags=re.M)
    return f"const {scope(name)} = (() => {{\n{body}return {{ {exports} }};\n}})();\n"


def script(folder):
    done = {}
    add_modules(folder, "main.js", done)
    left = {path.name for path in folder.glob("*.js")} - set(done)
    if left:
        sys.exit(f"join.py: no module imports {', '.join(sorted(left))}")
    return '"use strict";\n(() => {\n' + "".join(joined(*module) for module in done.items()) + "})();\n"


def policy_hash(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def c_array(name, data):
    lines = [",".join(map(str, data[i:i + 32])) for i in range(0, len(data), 32)]
    return f"const unsigned char {name}[] = {{{','.join(lines)}}};\nconst size_t {name}_size = {len(data)};\n".replace(
        "},", "},\n")


def main():
    folder, output = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    code, style = script(folder), (folder / "style.css").read_text(encoding="utf-8")
    page = (folder / "page.html").read_text(encoding="utf-8")
    for mark, text in (("@SCRIPT_HASH@", policy_hash(code)), ("@STYLE_HASH@", policy_hash(style)),
                       ("@STYLE@", style), ("@SCRIPT@", code)):
        if page.count(mark) != 1:
            sys.exit(f"join.py: page.html has to have {mark} once")
        page = page.replace(mark, text)
    head, found, tail = page.partition(DATA)
    if not found or "</script" in code.lower() or "<!--" in code or "</style" in style.lower():
        sys.exit("join.py: page.html has no place for the data, or a part ends its element")
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text("/* Made by join.py from src/views/page/web. */\n#include \"views/page/page.h\"\n\n"
                      + "".join(c_array(name, text.encode())
                                for name, text in (("page_head", head), ("page_tail", tail))))


main()

"""Writes the man pages of the verbs from their tables of options and a template for each page.

    gen_man.py TABLES VERSION TEMPLATE... --out DIR

TABLES is the output of the program of tables.c. A template is a man page with the lines and words
below. Its name is pinsight-VERB.1.in, or pinsight.1.in for the command itself.

  @version@               PInsight's version
  @verbs                  a list of the verbs, with the text of each
  @options                begins the verb's options, which come from its table
  @end                    ends them
  @option NAME            between the two: the next lines explain the option further

The entry of an option is its text in --help as a sentence, and then its explanation.
"""

import argparse
import json
import pathlib
import re
import sys

# Words that begin with -- or $ are typed literally.
TYPED = r"--[a-z][a-z-]*|\$[A-Z_]+"


class Wrong(Exception):
    """A template does not fit the table."""


def bold(text):
    return r"\fB{}\fR".format(text.replace("-", r"\-"))


def italic(text):
    return r"\fI{}\fR".format(text.replace("-", r"\-"))


def sentence(option):
    """Returns the text of --help as roff: words to type are bold, the value is italic."""
    text = " ".join(option["help"].split())
    typed = "|".join([TYPED] + sorted(map(re.escape, option["words"]), key=len, reverse=True))
    pieces = re.compile(r"`(?P<code>[^`]+)`|(?<![\w-])(?:(?P<typed>{})|(?P<value>{}))(?!\w)|(?P<escape>\\|(?<!\S)-)".format(
        typed, re.escape(option["value"] or "") or "$^"))

    def roff(found):
        kind = found.lastgroup
        if kind == "escape":
            return r"\e" if found["escape"] == "\\" else r"\-"
        return italic(found["value"]) if kind == "value" else bold(found[kind])

    if not pieces.match(text):
        text = text[0].upper() + text[1:]
    text = pieces.sub(roff, text) + ("" if text.endswith(".") else ".")
    return re.sub(r"[^\x00-\x7f]", lambda found: r"\[u{:04X}]".format(ord(found[0])), text)


def head(option):
    """Returns the head of an option's entry, such as -o, --output DIR."""
    names = ([bold("-" + option["letter"])] if option["letter"] else []) + [bold("--" + option["name"])]
    return ", ".join(names) + (" " + italic(option["value"]) if option["value"] else "")


def entries(options, explanations):
    for option in options:
        yield ".TP"
        yield head(option)
        yield sentence(option)
        yield from explanations.pop(option["name"], [])
    if explanations and options:  # a verb that is missing from this build has none
        raise Wrong("the verb has no option {}".format(", ".join("--" + name for name in explanations)))


def overview(verbs):
    for name, verb in verbs.items():
        yield from (".TP", ".B " + name, verb["about"][0].upper() + verb["about"][1:] + ".")
        yield from ("See", ".BR pinsight\\-{} (1).".format(name))


def page(template, version, verbs, verb=None):
    """Yields the lines of a verb's page, or of the page of the command itself."""
    explanations, written = None, not verb  # a dictionary between @options and @end
    for line in template.replace("@version@", version).splitlines():
        if line == "@options" and not written:
            explanations, current = {}, None
        elif line == "@verbs":
            yield from overview(verbs)
        elif explanations is None:
            yield line
        elif line == "@end":
            yield from entries(verbs[verb]["options"], explanations)
            explanations, written = None, True
        elif line.startswith("@option "):
            name = line.split()[1]
            if name in explanations:
                raise Wrong("--{} is explained twice".format(name))
            current = explanations[name] = []
        elif current is None:
            raise Wrong("this line explains no option: " + line)
        else:
            current.append(line)
    if explanations is not None or not written:
        raise Wrong("there is no line @options, or no line @end")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tables", type=pathlib.Path)
    parser.add_argument("version")
    parser.add_argument("templates", type=pathlib.Path, nargs="+")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    its = parser.parse_args()
    verbs = json.loads(its.tables.read_text(encoding="utf-8"))
    its.out.mkdir(parents=True, exist_ok=True)
    for template in its.templates:
        verb = re.fullmatch(r"pinsight(?:-([\w-]+))?\.1\.in", template.name).group(1)
        try:
            lines = list(page(template.read_text(encoding="utf-8"), its.version, verbs, verb))
        except Wrong as wrong:
            sys.exit("{}: {}".format(template, wrong))
        (its.out / template.stem).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Counts what makes a page hard to read, by the rules of "Comments" in CONTRIBUTING.

    tests/tools/check_pages.py                 counts of all pages; fails if there is a hit
    tests/tools/check_pages.py docs/modes.md   lists the hits of a page or folder

Pages are the files of Markdown, the templates of man pages, and the texts of `pinsight VERB --help`, which are
given as files that end in `.help`. Words are checked everywhere but in code; sentences are measured outside tables.
"""
import collections
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from check_comments import KINDS, MOST_WORDS, WORDS, Hit, sentences, show_hits  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDERS = ("docs", "examples", "bench")
# Written from tables of the source, with as many lines as these have entries.
GENERATED = ("docs/events.md", "docs/data-tables.md")

MOST_LINES = 400
PAGE_KINDS = tuple(kind for kind in KINDS if kind != "wide line") + ("lines",)

CODE = re.compile(r"``[^`]+``|`[^`]*`")
LINK = re.compile(r"!?\[([^\]]*)\]\([^)\s]*\)")
ITEM = re.compile(r"\s*(?:[-*+]|[0-9]+\.)\s+")


def plain(text):
    """Prose without its marks: a piece of code is one word, a link is its text."""
    text = CODE.sub("CODE", text)
    text = LINK.sub(r"\1", text)
    text = re.sub(r'"[^"]*"', "QUOTED", text)
    return re.sub(r"\*\*|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)", "", text)


def markdown(text):
    """Line number, kind and text of each paragraph, table row and heading. Code is left out."""
    paragraph, start, fence = [], 0, None
    for number, line in enumerate(text.split("\n") + [""], 1):
        mark = re.match(r"\s*(```+)", line)
        if fence:
            fence = None if mark and mark[1] == fence else fence
            continue
        row = line.lstrip().startswith("|")
        heading = re.match(r"#+ ", line)
        item = ITEM.match(line)
        indented = line.startswith("    ") and not paragraph and not item
        if mark or row or heading or item or indented or not line.strip() or line.startswith("<!--"):
            if paragraph:
                yield start, "prose", " ".join(paragraph)
            paragraph, start = ([line[item.end():]], number) if item else ([], 0)
            if mark:
                fence = mark[1]
            if row and not re.fullmatch(r"[|\s:-]+", line):
                for cell in re.split(r"(?<!\\)\|", line.strip()[1:-1]):
                    yield number, "cell", cell.strip()
            if heading:
                yield number, "heading", line[heading.end():]
        else:
            if not paragraph:
                start = number
            paragraph.append(line.strip())


def man(text):
    """Like markdown(), of the template of a man page."""
    paragraph, start, code = [], 0, False
    for number, line in enumerate(text.split("\n") + [".PP"], 1):
        code = line in (".nf", ".EX") or (code and line not in (".fi", ".EE"))
        inline = re.match(r"\.(?:BR?|IR?|RB|RI|BI|IB)\s+(.*)", line)
        if code or (line[:1] in (".'@") and not inline) or not line.strip():
            if paragraph:
                yield start, "prose", " ".join(paragraph)
            paragraph = []
        else:
            if not paragraph:
                start = number
            # What is bold or slanted is one word of code, with the punctuation behind it.
            paragraph.append(re.sub(r"^(.*?)([.,:;)]*)$", r"`\1`\2", unmarked(inline[1]).replace(" ", "").replace('"', ""))
                             if inline else unmarked(line))


def unmarked(line):
    """A line of a man page without escapes. What is bold or slanted is one word of code."""
    line = re.sub(r"\\f[BI](.*?)\\f[RP]", r"`\1`", line)
    return re.sub(r"\\(?:\[[^\]]*\]|-|&|.)", "-", line)


def help_text(text):
    """Like markdown(), of the text of --help. A paragraph ends at a line that begins further left or right."""
    paragraph, start, indent = [], 0, None
    for number, line in enumerate(text.split("\n") + [""], 1):
        option = re.match(r"\s{1,8}(?:-\S.*?(?:\s{2,}|$)|\S.*?\s{2,}(?=\S))", line)
        words = line[option.end():] if option else line
        column = (option.end() if option else len(line) - len(line.lstrip()))
        if not words.strip() or option or column != indent:
            if paragraph:
                yield start, "prose", " ".join(paragraph)
            paragraph, start, indent = [], number, column if words.strip() else indent
        if words.strip() and not words.lstrip().startswith(("usage:", "pinsight ")):
            paragraph.append(words.strip())


READERS = {".md": markdown, ".in": man, ".help": help_text}


def hits_of(path, text):
    """Each hit in a page's text."""
    lines = text.count("\n")
    if lines > MOST_LINES and name_of(path) not in GENERATED and path.name != "CHANGELOG.md":
        yield Hit(path, lines, "lines", f"{lines} lines, more than {MOST_LINES}")
    for number, kind, raw in READERS[path.suffix](text):
        prose = plain(raw)
        for word, pattern in WORDS.items():
            for match in pattern.finditer(prose):
                yield Hit(path, number, word, prose[max(0, match.start() - 30):match.end() + 40])
        if kind != "prose":
            continue
        # An entry of the change log is one sentence's length, however many sentences it has.
        for sentence in [prose] if path.name == "CHANGELOG.md" else sentences(prose):
            if sentence.rstrip(")").endswith("?"):
                yield Hit(path, number, "question", sentence)
            if len(sentence.split()) > MOST_WORDS:
                yield Hit(path, number, "long sentence", sentence)


def name_of(path):
    return os.path.relpath(path.resolve(), ROOT)


def pages():
    """Every page of the repository."""
    found = set(ROOT.glob("*.md"))
    for folder in FOLDERS:
        found.update(ROOT.glob(folder + "/**/*.md"))
    found.update(ROOT.glob("docs/man/*.in"))
    return sorted(path for path in found if not {".venv", "venv"} & set(path.relative_to(ROOT).parts))


def hits_in(paths):
    for path in paths:
        yield from hits_of(path, path.read_text(encoding="utf-8"))


def show_counts(paths):
    print(" " * 34 + "  ".join(f"{kind:>{max(len(kind), 5)}}" for kind in PAGE_KINDS))
    total = collections.Counter()
    for path in paths:
        kinds = collections.Counter(hit.kind for hit in hits_in([path]))
        total.update(kinds)
        row = "  ".join(f"{kinds[kind]:>{max(len(kind), 5)}}" for kind in PAGE_KINDS)
        print(f"{name_of(path):<34}{row}")
    print(f"{'total':<34}" + "  ".join(f"{total[kind]:>{max(len(kind), 5)}}" for kind in PAGE_KINDS))


def main(arguments):
    if arguments:
        paths = [pathlib.Path(argument) for argument in arguments]
        paths = [page for path in paths
                 for page in (sorted(p for p in path.rglob("*") if p.suffix in READERS) if path.is_dir() else [path])]
        hits = list(hits_in(paths))
    else:
        show_counts(pages())
        hits = list(hits_in(pages()))
    show_hits(hits)
    return bool(hits)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

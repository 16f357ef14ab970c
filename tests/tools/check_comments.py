#!/usr/bin/env python3
"""Counts what makes a comment hard to read, by the rules of "Comments" in CONTRIBUTING.

    tests/tools/check_comments.py            all folders; fails if a finished folder has a hit
    tests/tools/check_comments.py src/tracer/core   lists the hits of a folder or file

Comments of C, Python, CMake and assembler are checked, and docstrings. A folder in FINISHED has no hit, and
includes the folders in it.
"""
import ast
import collections
import io
import os
import pathlib
import re
import sys
import tokenize

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TOPS = ("include", "src", "python")
# Folders whose comments have been rewritten. The list only grows.
FINISHED = (
    "include",
    "python",
    "src/attach",
    "src/base",
    "src/cli",
    "src/config",
    "src/datalib",
    "src/doctor",
    "src/events",
    "src/format",
    "src/introspect",
    "src/plugin",
    "src/reader",
    "src/runtimes",
    "src/session",
    "src/tracer",
    "src/viewlib",
    "src/views",
)

MOST_WORDS = 30
MOST_COLUMNS = 100
WORDS = {
    "what as a noun": r"\bwhat (it|they|is|was|are|were|has|had|the|this|that|an?)\b",
    "where not, where it": r"\bwhere (not|that|it|they)\b",
    "tell, told": r"\b(tells?|told|telling)\b",
    "nobody": r"\b(nobody|no one)\b",
    "likewise": r"\blikewise\b",
    "the same for": r"\bthe same for\b|(^|[.;:] )the same (of|with|in|as a|to)\b",
}
WORDS = {kind: re.compile(pattern, re.IGNORECASE) for kind, pattern in WORDS.items()}
KINDS = (*WORDS, "question", "long sentence", "wide line")
Hit = collections.namedtuple("Hit", "path line kind text")

# A string, a character, or a comment, whichever begins first.
C_TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|(?:^[ \t]*//[^\n]*\n)+|//[^\n]*', re.S | re.M)


def c_comments(text):
    """Line number and text of each comment. Lines of // that follow each other are one comment."""
    for match in C_TOKEN.finditer(text):
        if match[0].lstrip().startswith("/"):
            yield text.count("\n", 0, match.start()) + 1, match[0]


def hash_comments(text):
    """Like c_comments(), for CMake."""
    for match in re.finditer(r"(?:^[ \t]*#[^\n]*\n)+|(?<=[ \t])#[^\n\"]*$", text, re.M):
        yield text.count("\n", 0, match.start()) + 1, match[0]


def python_comments(text):
    """Like c_comments(), with docstrings."""
    block = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not re.match(r"#!|# (fmt|noqa)\b", token.string):
            alone = not token.line[:token.start[1]].strip()
            if block and not (alone and block[-1][2] and token.start[0] == block[-1][0] + 1):
                yield block[0][0], "\n".join(line for _, line, _ in block)
                block = []
            block.append((token.start[0], token.string, alone))
    if block:
        yield block[0][0], "\n".join(line for _, line, _ in block)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(getattr(first.value, "value", None), str):
                lines = first.value.value.split("\n")
                indent = " " * first.col_offset
                yield first.lineno, "\n".join("# " + line[len(indent):] if line.startswith(indent) and number else "# " + line
                                              for number, line in enumerate(lines))


READERS = {".c": c_comments, ".h": c_comments, ".S": c_comments, ".def": c_comments, ".py": python_comments,
           "CMakeLists.txt": hash_comments, ".cmake": hash_comments}


def prose(comment):
    """Paragraphs of a comment, without its marks. Indented examples and quotations are left out."""
    paragraph = []
    for line in comment.split("\n") + [""]:
        marked = re.match(r"\s*(?:/\*+|\*+(?!/)|//+|#+) ?", line)
        line = re.sub(r"\s*\*+/\s*$", "", line[marked.end():] if marked else line.lstrip())
        item = re.match(r"\s*(- |[0-9]+\. )", line)
        example = line.startswith("  ") and not (paragraph and paragraph[0].startswith("- "))
        if not line.strip() or example or item:
            if paragraph:
                yield re.sub(r'`[^`]*`|"[^"]*"', "QUOTED", " ".join(paragraph))
            paragraph = ["- " + line[item.end():]] if item else []
        else:
            paragraph.append(line.strip())


def sentences(paragraph):
    return re.split(r"(?<=[.!?:])\s+(?=[A-Z(])", paragraph)


def hits_of(path, text):
    """Each hit in a file's text."""
    reader = READERS.get(path.suffix) or READERS.get(path.name)
    if not reader:
        return
    lines = text.split("\n")
    for number, comment in reader(text):
        for paragraph in prose(comment):
            for kind, pattern in WORDS.items():
                for match in pattern.finditer(paragraph):
                    yield Hit(path, number, kind, paragraph[max(0, match.start() - 20):match.end() + 30])
            for sentence in sentences(paragraph):
                if sentence.rstrip(")").endswith("?"):
                    yield Hit(path, number, "question", sentence)
                if len(sentence.split()) > MOST_WORDS:
                    yield Hit(path, number, "long sentence", sentence)
        for at in range(number, number + comment.rstrip("\n").count("\n") + 1):
            if len(lines[at - 1]) > MOST_COLUMNS:
                yield Hit(path, at, "wide line", lines[at - 1].strip())


def files_below(top):
    if top.is_file():
        yield top
    for folder, folders, names in os.walk(top):
        folders.sort()
        for name in sorted(names):
            yield pathlib.Path(folder, name)


def hits_below(top):
    for path in files_below(top):
        if path.suffix in READERS or path.name in READERS:
            yield from hits_of(path, path.read_text(encoding="utf-8"))


def finished(path):
    """Whether a path lies in a folder of FINISHED."""
    return any(folder == path or path.startswith(folder + "/") for folder in FINISHED)


def counts():
    """Counts of each kind, by folder."""
    found = collections.defaultdict(collections.Counter)
    for top in TOPS:
        for path in files_below(ROOT / top):
            if path.suffix in READERS or path.name in READERS:
                folder = path.parent.relative_to(ROOT).as_posix()
                found[folder].update(hit.kind for hit in hits_of(path, path.read_text(encoding="utf-8")))
    return found


def show_counts(found):
    widths = [max(len(kind), 5) for kind in KINDS]
    print(" " * 28 + "  ".join(f"{kind:>{width}}" for kind, width in zip(KINDS, widths)))
    for folder, kinds in sorted(found.items()):
        row = "  ".join(f"{kinds[kind]:>{width}}" for kind, width in zip(KINDS, widths))
        print(f"{folder:<28}{row}{'  finished' if finished(folder) else ''}")
    total = sum(found.values(), collections.Counter())
    print(f"{'total':<28}" + "  ".join(f"{total[kind]:>{width}}" for kind, width in zip(KINDS, widths)))


def show_hits(hits):
    for hit in hits:
        print(f"{os.path.relpath(hit.path)}:{hit.line}: {hit.kind}: {hit.text}")


def main(arguments):
    if arguments:
        hits = [hit for argument in arguments for hit in hits_below(pathlib.Path(argument))]
        show_hits(hits)
        return bool(hits)
    show_counts(counts())
    hits = [hit for folder in FINISHED for hit in hits_below(ROOT / folder)]
    show_hits(hits)
    return bool(hits)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

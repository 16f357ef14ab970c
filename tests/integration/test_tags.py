"""A tag of a struct, a union or an enum names one type: it has one body in src and include."""
import collections
import re

from support import places

COMMENT_OR_LITERAL = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)
ATTRIBUTE = r"(?:\s*(?:__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)|_?[aA]lignas\s*\([^)]*\)))*"
BODY = re.compile(r"\b(struct|union|enum)\b" + ATTRIBUTE + r"\s+(\w+)\s*\{")


def bodies(text):
    """The tags that a text gives a body, at any depth, each with its line."""
    bare = COMMENT_OR_LITERAL.sub(lambda found: "\n" * found.group().count("\n"), text)
    return [(found.group(2), bare.count("\n", 0, found.start()) + 1) for found in BODY.finditer(bare)]


def test_bodies_are_found():
    text = (
        "/* struct comment { */\n"
        "struct __attribute__((packed, aligned(8))) outer {\n"
        "    union inner { int a; } u;\n"
        "};\n"
        'const char *text = "struct literal {";\n'
        "static const enum kind\n{ A, B } kind = A;\n"
        "struct declared;\nstruct outer *use(struct outer *of);\n"
        "struct outer value = {0};\n"
    )
    assert bodies(text) == [("outer", 2), ("inner", 3), ("kind", 6)]


def test_one_body_for_a_tag():
    found = collections.defaultdict(list)
    for top in ("src", "include"):
        for path in sorted((places.ROOT / top).rglob("*.[ch]")):
            for tag, line in bodies(path.read_text()):
                found[tag].append("{}:{}".format(path.relative_to(places.ROOT), line))
    assert {tag: where for tag, where in found.items() if len(where) > 1} == {}
